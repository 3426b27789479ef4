# Two stages: the first installs the hashed lock into a virtual environment, the second holds nothing but that.
# docker build --tag scorewatch .                     watcher, worker and every other command
# docker build --tag scorewatch-flower --target flower .
# `make pin-images` writes the digest behind the tag, and renews it.
ARG PYTHON_IMAGE=python:3.13-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INPUT=1
RUN python -m venv /opt/scorewatch
ENV PATH=/opt/scorewatch/bin:$PATH
WORKDIR /src
COPY requirements-judge.txt ./
RUN pip install --require-hashes -r requirements-judge.txt
COPY pyproject.toml README.md LICENSE ./
COPY texts texts
COPY scoring scoring
COPY config config
COPY reporting reporting
COPY watcher watcher
COPY workers workers
COPY cli cli
COPY scorewatch scorewatch
RUN pip install --no-deps --no-build-isolation . && python -m compileall -q /opt/scorewatch && \
    cd / && python -m texts && python -m config.rubrics_in_force

FROM build AS build-flower
COPY requirements-flower.txt ./
RUN pip install --require-hashes -r requirements-flower.txt

FROM ${PYTHON_IMAGE} AS base
ENV PATH=/opt/scorewatch/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
# Any user may work here (`user:` in docker-compose.yml): what has to be written is mounted, or open like /tmp.
RUN mkdir -p /data/in /data/out /data/state && chmod 1777 /data/out /data/state
WORKDIR /data
USER 10001:10001

FROM base AS flower
COPY --from=build-flower /opt/scorewatch /opt/scorewatch
EXPOSE 5555
ENTRYPOINT ["celery", "flower"]

FROM base AS scorewatch
COPY --from=build /opt/scorewatch /opt/scorewatch
ENV SCOREWATCH_WATCH=/data/in SCOREWATCH_OUT=/data/out SCOREWATCH_STATE=/data/state/scorewatch SCOREWATCH_LOG=json
ENTRYPOINT ["scorewatch"]
CMD ["up"]
