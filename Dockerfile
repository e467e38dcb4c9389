# The program with its kernels compiled: docker build -t ludus . && docker run --rm ludus match tight loose --hands 100
FROM python:3.11-slim
WORKDIR /ludus
COPY pyproject.toml constraints.txt README.md LICENSE* ./
COPY src src
ENV LUDUS_CACHE=/ludus/cache
RUN pip install --no-cache-dir -c constraints.txt . && ludus warm-up
ENTRYPOINT ["ludus"]
