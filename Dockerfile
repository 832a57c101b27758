# docker build -t parallax . && docker run --rm parallax run --time 20s --out /tmp/report
FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
RUN cargo build --profile dist --locked -p parallax

FROM debian:bookworm-slim
COPY --from=build /src/target/dist/parallax /usr/local/bin/parallax
ENTRYPOINT ["parallax"]
