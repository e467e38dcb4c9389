# The program, with its kernels compiled for the machine that builds it. Another machine compiles them again at the first
# start, and keeps them in the volume of the cache:
#
#   docker build -t ludus .
#   docker run --rm -p 8421:8421 -v ludus:/ludus/data -v cache:/ludus/cache ludus serve --host 0.0.0.0     # http://localhost:8421/
#   docker run --rm ludus match tight loose --hands 100
FROM python:3.11-slim
WORKDIR /ludus
COPY pyproject.toml constraints.txt README.md LICENSE* ./
COPY src src
RUN pip install --no-cache-dir -c constraints.txt '.[postgres]' \
    && useradd --uid 10001 --no-create-home --home-dir /ludus ludus \
    && install -d -o ludus -m 0700 data \
    && install -d -o ludus -m 1777 cache
ENV LUDUS_CACHE=/ludus/cache LUDUS_DATA=/ludus/data
USER 10001
RUN ludus warm-up && chmod -R a+rwX cache
VOLUME ["/ludus/data", "/ludus/cache"]
EXPOSE 8421
HEALTHCHECK --interval=30s --timeout=10s --start-period=300s --retries=3 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8421/api/health', timeout=9)"]
ENTRYPOINT ["ludus"]
