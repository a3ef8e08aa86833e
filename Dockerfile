# syntax=docker/dockerfile:1
# The image of the server and the bots: `docker build -t cornered .`
# With the laboratory, for the workers of a cluster: `docker build -t cornered-lab --build-arg LOCK=requirements-lab.lock .`

FROM python:3.13-slim AS build
ARG LOCK=requirements.lock
WORKDIR /src
RUN python -m venv /opt/cornered
COPY ${LOCK} ./
RUN /opt/cornered/bin/pip install --no-cache-dir --require-hashes --only-binary :all: -r ${LOCK}
COPY . .
RUN /opt/cornered/bin/pip install --no-cache-dir --no-deps --no-build-isolation .
# -I: the installed sources are compiled, not those in this folder, since kernels are cached by their path.
RUN CORNERED_KERNELS=/opt/kernels /opt/cornered/bin/python -I -c "from cornered.bots.search.warming import warm; warm()"

FROM python:3.13-slim
RUN useradd --create-home --uid 10001 cornered && install -d -o cornered -g cornered /data
COPY --from=build /opt/cornered /opt/cornered
# Owned by the user, since a read-only cache is not used; a CPU type other than the builder's adds to it.
COPY --from=build --chown=cornered:cornered /opt/kernels /opt/kernels
ENV PATH=/opt/cornered/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    CORNERED_HOST=0.0.0.0 \
    CORNERED_PORT=8420 \
    CORNERED_DATA=/data \
    CORNERED_KERNELS=/opt/kernels
USER cornered
VOLUME /data
EXPOSE 8420
HEALTHCHECK --interval=15s --timeout=3s --start-period=60s CMD \
    ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8420/ready', timeout=2)"]
CMD ["cornered", "serve", "--no-bots"]
