# The service as an image. It needs a Postgres (DATABASE_URL): the embedded one is left out.
# Pin the base by digest before a release.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY src src
COPY sandbox sandbox
COPY clients/typescript/src clients/typescript/src
COPY migrations migrations
COPY dashboard dashboard
COPY schema schema
COPY docs docs
COPY clients/typescript/README.md clients/typescript/README.md
COPY README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
RUN node_modules/.bin/tsc -p tsconfig.build.json \
  && node_modules/.bin/vite build dashboard --outDir ../dist/pages \
  && npm prune --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
# Nothing is written but downloads in progress, under QUIPU_DATA_DIR, and usage that is not in the database yet, under QUIPU_USAGE_DIR, which
# needs a volume that outlives the container. The rest may be read-only.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 QUIPU_DATA_DIR=/tmp/quipu QUIPU_USAGE_DIR=/var/lib/quipu/usage
RUN install -d -o 10001 -g 10001 -m 700 /var/lib/quipu/usage
WORKDIR /app
COPY --from=build /build/package.json ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist dist
USER 10001:10001
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# The options of `npm start` (docs/operations.md).
CMD ["node", "--v8-pool-size=0", "--no-parallel-scavenge", "--no-allocation-site-pretenuring", "dist/src/main.js"]
