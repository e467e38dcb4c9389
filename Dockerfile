# The program with its kernels compiled:
#
#   docker build -t ludus .
#   docker run --rm -p 8421:8421 -v ludus:/ludus/data ludus serve --host 0.0.0.0     # the table at http://localhost:8421/
#   docker run --rm ludus match tight loose --hands 100
FROM python:3.11-slim
WORKDIR /ludus
COPY pyproject.toml constraints.txt README.md LICENSE* ./
COPY src src
ENV LUDUS_CACHE=/ludus/cache LUDUS_DATA=/ludus/data
RUN pip install --no-cache-dir -c constraints.txt '.[postgres]' && ludus warm-up && mkdir -p data
EXPOSE 8421
ENTRYPOINT ["ludus"]
