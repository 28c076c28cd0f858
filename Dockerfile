# One static-asset-carrying binary in a small image. Built in two stages; the first one compiles the dependencies in a
# layer of their own, so that a change of our code does not compile them again. No builder-specific syntax: any builder works.

FROM rust:1.95-bookworm AS build
WORKDIR /src

# Only the manifests: this layer changes when dependencies change.
COPY Cargo.toml Cargo.lock ./
COPY crates/engine/Cargo.toml crates/engine/
COPY crates/bot/Cargo.toml crates/bot/
COPY crates/protocol/Cargo.toml crates/protocol/
COPY crates/table/Cargo.toml crates/table/
COPY crates/storage/Cargo.toml crates/storage/
COPY crates/server/Cargo.toml crates/server/
COPY crates/client/Cargo.toml crates/client/
COPY crates/cli/Cargo.toml crates/cli/
COPY tests/Cargo.toml tests/
# Every target that a manifest names gets an empty file, or cargo refuses the manifest.
RUN set -eu; \
    for crate in crates/* tests; do \
        mkdir -p "$crate/src" "$crate/benches" "$crate/examples"; \
        : > "$crate/src/lib.rs"; \
        sed -n '/^\[\[bench\]\]/,/^$/s/^name = "\(.*\)"/\1/p' "$crate/Cargo.toml" | while read -r name; do \
            echo 'fn main() {}' > "$crate/benches/$name.rs"; \
        done; \
        sed -n '/^\[\[example\]\]/,/^$/s/^name = "\(.*\)"/\1/p' "$crate/Cargo.toml" | while read -r name; do \
            echo 'fn main() {}' > "$crate/examples/$name.rs"; \
        done; \
    done; \
    rm crates/cli/src/lib.rs; \
    echo 'fn main() {}' > crates/cli/src/main.rs; \
    cargo build --release --locked -p kingscross; \
    rm -rf crates tests

COPY . .
# The placeholders were newer than the sources; cargo goes by time.
RUN set -eu; \
    find crates -name '*.rs' -exec touch {} +; \
    cargo build --release --locked -p kingscross; \
    strip target/release/kingscross

FROM debian:bookworm-slim
# A fixed number, so that volumes keep their owner over upgrades.
RUN groupadd --system --gid 10001 kingscross \
    && useradd --system --uid 10001 --gid 10001 --home-dir /data --shell /usr/sbin/nologin kingscross \
    && mkdir /data && chown kingscross:kingscross /data
COPY --from=build /src/target/release/kingscross /usr/local/bin/kingscross
COPY LICENSE-MIT LICENSE-APACHE /usr/share/doc/kingscross/
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8080
# The server listens on 0.0.0.0 and this port; hosts of containers set another one.
ENV PORT=8080 \
    KINGSCROSS__DATABASE__URL=/data/kingscross.db
# The server stops in an orderly way on SIGTERM and needs no init above it.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=4s --start-period=20s --retries=3 CMD ["kingscross", "health"]
ENTRYPOINT ["kingscross"]
CMD ["serve"]
