# One process, one folder to write to. `docker build -t fieldhook .`; docs/operating.md says how to run it.

# The Node that the tests and proofs run on: one version in here, in .nvmrc and in scripts/own-node.json. A test holds them together.
FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS build
WORKDIR /app
# Packages first: this layer stays as long as the lockfile does. better-sqlite3 brings its binary; nothing is compiled.
COPY package.json package-lock.json .npmrc ./
COPY packages/builder/package.json packages/builder/
RUN npm ci --omit=dev --ignore-scripts
COPY . .
RUN NODE_ENV=production npm run build
# Only what runs is left: no development packages, no sources, types, maps and documents of packages. Licences stay.
RUN npm prune --omit=dev --workspaces=false --ignore-scripts && node scripts/slim-packages.mjs

FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
WORKDIR /app
# npm, yarn and their package managers' manager are for building: what is not there cannot be misused.
RUN rm -rf /usr/local/lib/node_modules /opt/yarn-* /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/yarn \
    /usr/local/bin/yarnpkg /usr/local/bin/corepack \
  && install -d -o node -g node -m 0750 /data
# The files belong to root: the process can read them and change nothing but /data.
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/build ./build
COPY --from=build /app/db/migrations ./db/migrations
COPY --from=build /app/db/migrations-postgres ./db/migrations-postgres
COPY --from=build /app/scripts ./scripts
VOLUME /data
USER node
# PLATFORM=servicem8: a missing credential must stop the start instead of quietly serving the sandbox.
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  PORT=3000 \
  PLATFORM=servicem8 \
  DATABASE_URL=file:/data/fieldhook.db
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node itself is process 1: SIGTERM reaches it, and it drains.
# The flags: scripts/server-flags.mjs says why.
CMD ["node", "--max-semi-space-size=32", "--no-minor-gc-task", "--max-old-space-size=384", "scripts/serve-main.mjs"]
