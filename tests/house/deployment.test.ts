// What the documents say about the image, the compose file, Fly and Caddy is so.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { quarantineMarker } from '#app/domain/quarantine.ts'
import { createEdges } from '#app/http/edges.ts'

const require = createRequire(import.meta.url)
const { parse } = createRequire(require.resolve('@seriousme/openapi-schema-validator'))('yaml') as {
  parse(text: string, options?: { merge: boolean }): unknown
}
const read = (file: string) => readFileSync(file, 'utf8')

/** Steps in the image that runs, in order: `['USER', 'node']`. */
const steps = read('Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n\s*/g, ' ')
  .split('\n')
  .flatMap((line) => [...line.matchAll(/^([A-Z]+) (.*)$/g)].map(([, word = '', rest = '']) => [word, rest] as const))
const last = steps.slice(steps.findLastIndex(([word]) => word === 'FROM'))
const of = (word: string) => last.filter(([name]) => name === word).map(([, rest]) => rest)

describe('the image', () => {
  test('is made in two stages, of a Node with long-term support', () => {
    expect(steps.filter(([word]) => word === 'FROM')).toHaveLength(2)
    // Even numbers get it.
    expect(Number(read('.nvmrc').split('.')[0]) % 2).toBe(0)
  })

  test('runs without root, and owns nothing but /data', () => {
    expect(of('USER')).toEqual(['node'])
    const user = last.findIndex(([word]) => word === 'USER')
    expect(last.slice(user).filter(([word]) => word === 'RUN' || word === 'COPY' || word === 'ADD')).toEqual([])
    expect(of('COPY').filter((copy) => /--(chown|chmod)/.test(copy))).toEqual([])
    const given = of('RUN').join(' ')
    expect([...given.matchAll(/-o node\b.*?(\/\S+)/g)].map(([, path]) => path)).toEqual(['/data'])
    expect(given).not.toMatch(/chown|chmod/)
    expect(of('VOLUME')).toEqual(['/data'])
  })

  test('serves the real platform in production, and refuses to be anything else by accident', () => {
    const set = of('ENV').join(' ')
    for (const value of ['NODE_ENV=production', 'PLATFORM=servicem8', 'DATABASE_URL=file:/data/'])
      expect(set).toContain(value)
  })

  test('drains on SIGTERM, says that it lives, and has no package manager', () => {
    expect(of('STOPSIGNAL')).toEqual(['SIGTERM'])
    expect(of('HEALTHCHECK').join('')).toContain('/healthz')
    expect(of('CMD').join('')).toMatch(/^\["node", /)
    for (const tool of ['npm', 'npx', 'yarn', 'corepack'])
      expect(of('RUN').join(' ')).toContain(`/usr/local/bin/${tool}`)
  })

  test('holds what runs, and neither tests nor history nor maps of the sources', () => {
    const copied = of('COPY').map((copy) => copy.match(/^--from=build \/app\/(\S+) /)?.[1])
    expect(copied).toEqual([
      'package.json',
      'node_modules',
      'build',
      'db/migrations',
      'db/migrations-postgres',
      'scripts',
    ])
    const left = read('.dockerignore').split('\n')
    for (const name of ['.git', '.env', '.env.*', 'data', 'tests', 'packages/lab', 'node_modules', '**/*.db'])
      expect(left).toContain(name)
    expect(read('vite.config.ts')).toMatch(/\bsourcemap: false\b/)
  })
})

interface Service {
  build?: string
  read_only?: boolean
  cap_drop?: string[]
  cap_add?: string[]
  security_opt?: string[]
  tmpfs?: string[]
  volumes?: string[]
  ports?: string[]
  mem_limit?: string
  pids_limit?: number
  stop_grace_period?: string
  privileged?: boolean
  user?: string
  environment?: Record<string, string>
  healthcheck?: { test: string[] }
  image?: string
  depends_on?: unknown
}

describe('compose.yml', () => {
  const { services } = parse(read('compose.yml')) as { services: Record<string, Service> }

  test('gives neither container more than it needs', () => {
    expect(Object.keys(services)).toEqual(['fieldhook', 'caddy'])
    for (const service of Object.values(services)) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        mem_limit: expect.stringMatching(/^\d+m$/),
        pids_limit: expect.any(Number),
      })
      expect([service.privileged, service.user]).toEqual([undefined, undefined])
    }
    expect(services.fieldhook?.cap_add).toBeUndefined()
    expect(services.caddy?.cap_add).toEqual(['NET_BIND_SERVICE'])
  })

  test('lets Fieldhook write to /data and /tmp alone, be reached by Caddy alone, and drain', () => {
    const { fieldhook } = services
    expect([fieldhook?.tmpfs, fieldhook?.volumes, fieldhook?.ports]).toEqual([['/tmp'], ['fieldhook:/data'], undefined])
    expect(Number.parseInt(fieldhook?.stop_grace_period ?? '0', 10)).toBeGreaterThan(hardStopSeconds())
    expect(fieldhook?.environment).toMatchObject({ PLATFORM: 'servicem8', TRUST_PROXY: 'fly' })
    // What stands here wins over .env, which names the server after a move to PostgreSQL.
    expect(fieldhook?.environment?.DATABASE_URL).toMatch(/^\$\{DATABASE_URL:-file:\/data\/fieldhook\.db\}$/)
  })

  test('Caddy writes the visitor’s address itself, and keeps the numbers private', () => {
    const caddy = read('Caddyfile')
    expect(caddy).toMatch(/header_up Fly-Client-IP \{remote_host\}/)
    expect(caddy).toMatch(/@private path \/metrics\n\s*respond @private 404/)
    expect(services.caddy?.volumes).toContain('./Caddyfile:/etc/caddy/Caddyfile:ro')
  })
})

describe('compose.cluster.yml', () => {
  const { services, volumes } = parse(read('compose.cluster.yml'), { merge: true }) as {
    services: Record<string, Service>
    volumes: object
  }
  const instances = Object.entries(services).filter(([name]) => name.startsWith('fieldhook-'))

  test('is three instances that are alike, PostgreSQL and Caddy, none with more than it needs', () => {
    expect(Object.keys(services)).toEqual(['fieldhook-1', 'fieldhook-2', 'fieldhook-3', 'postgres', 'caddy'])
    // Compose builds in parallel, and the second build of one image name fails.
    expect(instances.map(([, { build }]) => build)).toEqual(['.', undefined, undefined])
    for (const [, instance] of instances) expect({ ...instance, build: '.' }).toEqual(services['fieldhook-1'])
    for (const service of Object.values(services)) {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        mem_limit: expect.stringMatching(/^\d+m$/),
        pids_limit: expect.any(Number),
      })
      expect(service.privileged).toBeUndefined()
    }
    expect([services.postgres?.user, services.postgres?.cap_add, services.caddy?.cap_add]).toEqual([
      'postgres',
      undefined,
      ['NET_BIND_SERVICE'],
    ])
  })

  test('an instance keeps nothing, is reached by Caddy alone, starts after PostgreSQL, and drains', () => {
    for (const [, { volumes: kept, ports, tmpfs, environment, stop_grace_period, depends_on }] of instances) {
      expect([kept, ports, tmpfs]).toEqual([undefined, undefined, ['/tmp', '/data']])
      expect(environment).toMatchObject({ PLATFORM: 'servicem8', TRUST_PROXY: 'fly' })
      // No secret stands in the file, and .env may name another server.
      expect(environment?.DATABASE_URL).toMatch(
        /^\$\{DATABASE_URL:-postgres:\/\/fieldhook:\$\{POSTGRES_PASSWORD\}@postgres:5432\/fieldhook\}$/,
      )
      expect(Number.parseInt(stop_grace_period ?? '0', 10)).toBeGreaterThan(hardStopSeconds())
      expect(depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
    }
    const { postgres } = services
    expect([postgres?.ports, postgres?.volumes, postgres?.healthcheck?.test[1]]).toEqual([
      undefined,
      ['postgres:/var/lib/postgresql/data'],
      'pg_isready',
    ])
    expect(postgres?.image).toMatch(/^postgres:17\./)
    expect(postgres?.environment?.POSTGRES_PASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/)
    expect(Object.keys(volumes)).toEqual(['postgres', 'caddy'])
  })

  test('Caddy asks each of them whether it is ready, tries another one, and does as for a single one otherwise', () => {
    const caddy = read('Caddyfile.cluster')
    const upstreams = caddy.match(/reverse_proxy ([^{]+) \{/)?.[1]?.split(' ')
    expect(upstreams).toEqual(instances.map(([name]) => `${name}:3000`))
    for (const line of ['health_uri /readyz', 'health_interval 1s', 'lb_try_duration 10s'])
      expect(caddy).toContain(line)
    expect(caddy).toMatch(/header_up Fly-Client-IP \{remote_host\}/)
    expect(caddy).toMatch(/@private path \/metrics\n\s*respond @private 404/)
    expect(services.caddy?.volumes).toContain('./Caddyfile.cluster:/etc/caddy/Caddyfile:ro')
  })
})

const clusterCommands = /\*\*Deploy with Docker\.\*\*.*?```sh\n(.*?)```/s.exec(read('docs/operating.md'))?.[1] ?? ''

const settingsOf = (file: string) => {
  const toml = read(file).replace(/^\s*#.*$/gm, '')
  const value = (name: string) => toml.match(new RegExp(`^\\s*${name} = "?([^"\\n]+)"?$`, 'm'))?.[1]
  return { toml, value }
}

describe('fly.cluster.toml', () => {
  const { toml, value } = settingsOf('fly.cluster.toml')

  test('is three machines without a disk that never sleep, and one after the other is replaced', () => {
    expect(toml).not.toMatch(/mounts/)
    expect([value('min_machines_running'), value('auto_stop_machines')]).toEqual(['3', 'off'])
    expect([value('strategy'), value('max_unavailable')]).toEqual(['rolling', '1'])
    expect(value('release_command')).toBe('node scripts/migrate.mjs --server')
    expect(value('path')).toBe('/readyz')
    expect(toml).not.toContain('DATABASE_URL')
  })

  test('stops, restarts and speaks to the world as a single machine does', () => {
    const { value: single } = settingsOf('fly.toml')
    for (const name of ['kill_signal', 'kill_timeout', 'force_https', 'TRUST_PROXY', 'APP_ORIGIN', 'policy', 'memory'])
      expect([name, value(name)]).toEqual([name, single(name)])
  })
})

describe('fly.toml', () => {
  const { toml, value } = settingsOf('fly.toml')

  test('is one machine with one volume that never sleeps', () => {
    expect(toml.match(/^\[\[mounts\]\]$/gm)).toHaveLength(1)
    expect(toml.match(/^\[\[vm\]\]$/gm)).toHaveLength(1)
    expect([value('destination'), value('min_machines_running'), value('auto_stop_machines')]).toEqual([
      '/data',
      '1',
      'off',
    ])
    expect(value('release_command')).toBeUndefined()
  })

  test('stops with SIGTERM and time to drain', () => {
    expect(value('kill_signal')).toBe('SIGTERM')
    expect(Number(value('kill_timeout'))).toBeGreaterThan(hardStopSeconds())
  })

  test('speaks https to the world, and keeps snapshots for fourteen days', () => {
    expect([value('force_https'), value('TRUST_PROXY'), value('snapshot_retention')]).toEqual(['true', 'fly', '14'])
    expect(value('APP_ORIGIN')).toMatch(/^https:\/\//)
    expect(read('app/boot/jobs.server.ts')).toContain(
      'forgetSafetyCopies(env.databaseFile, app.clock.now() - days(14))',
    )
  })
})

test('behind Caddy, Prometheus asks each instance by its own name, and is answered', () => {
  const page = read('docs/metrics.md')
  const admits = createEdges('https://hooks.example.com')
  for (const file of ['Caddyfile', 'Caddyfile.cluster'])
    for (const host of read(file).match(/\bfieldhook[\w-]*:3000\b/g) ?? []) {
      expect(page).toContain(`'${host}'`)
      expect(admits({ method: 'GET', url: '/metrics', rawHeaders: ['Host', host] })).toBeNull()
    }
})

test('with several instances, no command starts the single installation in their place', () => {
  // `docker compose up` takes compose.yml unless .env names another file, and both files are one project.
  for (const file of ['docs/operating.md', 'compose.cluster.yml', '.env.example'])
    expect(read(file)).toContain('COMPOSE_FILE=compose.cluster.yml')
  expect(clusterCommands).toMatch(/^grep -x COMPOSE_FILE=compose\.cluster\.yml \.env && docker compose up /)
  const instances = 'fieldhook-1 fieldhook-2 fieldhook-3'
  expect(read('docs/operating.md')).toContain(`| Docker, several instances | \`docker compose stop ${instances}\` |`)
})

test('from several instances, the database moves into a volume that stays', () => {
  const guide = read('docs/operating.md')
  // Their own /data is a tmpfs: a file written there is gone with the container.
  expect(guide).not.toMatch(/fieldhook-\d node scripts\/move\.mjs --to (?!postgres:)/)
  const recipe = /^\*\*From several instances with Docker to a file\.\*\*.*?```sh\n(.*?)```/ms.exec(guide)?.[1] ?? ''
  expect(recipe).toMatch(/--file compose\.yml run --rm --no-deps fieldhook sh -c '\n.* --to file:\/data\/\w+\.db'\n$/)
  const [, server] = /--from "([^"]+)"/.exec(recipe) ?? []
  expect(read('compose.cluster.yml')).toContain(`\${DATABASE_URL:-${server?.replace(/\$(\w+)/, '$${$1}')}}`)
  const { services } = parse(read('compose.yml')) as { services: Record<string, Service & { env_file: string }> }
  expect([services.fieldhook?.volumes, services.fieldhook?.env_file]).toEqual([['fieldhook:/data'], '.env'])
})

test('an update of several instances ends at the first one that is not ready', () => {
  const update = clusterCommands.slice(clusterCommands.indexOf('docker compose build'))
  const lines = update.trimEnd().split('\n')
  expect(lines.map((line) => /&&$/.test(line))).toEqual([true, true, false])
  expect(lines.at(-1)).toMatch(/--wait --wait-timeout \d+ fieldhook-\$one \|\| break; done$/)
  const { services } = parse(read('compose.cluster.yml'), { merge: true }) as { services: Record<string, Service> }
  // `--wait` waits for this check; the image's own says only that the process lives.
  for (const one of [1, 2, 3]) expect(services[`fieldhook-${one}`]?.healthcheck?.test.join(' ')).toContain('/readyz')
})

test('the files that these files name are there', () => {
  const named = [
    ...[
      'Dockerfile',
      '.dockerignore',
      '.npmrc',
      'compose.yml',
      'compose.cluster.yml',
      'Caddyfile',
      'Caddyfile.cluster',
    ],
    ...['fly.toml', 'fly.cluster.toml'],
  ].flatMap((file) =>
    [...read(file).matchAll(/(?<![\w./])((?:docs|tests|scripts|packages)\/[\w./-]+\.(?:md|mjs|tsx?))/g)].map(
      ([, name = '']) => name,
    ),
  )
  expect(named.length).toBeGreaterThan(5)
  expect(named.filter((name) => !existsSync(name))).toEqual([])
})

test('no command takes an image named fieldhook before one was built: a released image has another name', () => {
  const guide = read('docs/operating.md').replaceAll('\\\n', ' ')
  const runs = [...guide.matchAll(/docker run [^\n`]*/g)]
  expect(runs.length).toBeGreaterThan(0)
  for (const { index } of runs) expect(guide.slice(0, index)).toMatch(/docker build --tag fieldhook \.\n$/)
  // The container has no rights of root: its root could not read the file of user 1000.
  expect(guide).not.toMatch(/docker compose run [^`\n]*--user 0/)
})

test('the database of the release before is held until somebody looked at it', () => {
  const recipe = /### Going back to the release before\n(.*?)\n## /s.exec(read('docs/operating.md'))?.[1] ?? ''
  expect(recipe).toContain(`fieldhook.db && touch ${quarantineMarker('fieldhook.db')}'`)
})

/** How long the process takes at most to end after the first signal. */
function hardStopSeconds(): number {
  return (
    Number(
      read('scripts/serve.js')
        .match(/const HARD_STOP_MS = ([\d_]+)/)?.[1]
        ?.replace('_', ''),
    ) / 1_000
  )
}
