// The import law: who may import whom. One row per part; what a row does not allow is refused, and so is a part without a row.
// Paths are matched from the root of the repository. To run it alone: npx depcruise app db packages scripts tests
// tests/house/import-law.test.ts plants an offence against every row.

const TEST = '\\.test\\.tsx?$'
/** Everything of ours, as opposed to packages and Node's own modules. */
const OURS = '^(app|db|packages|scripts|tests|build)/|^[^/]+\\.(ts|js|mjs|cjs|json)$'

const LIB = '^app/lib/'
/** `.ts` decides, `.server.ts` acts: a name without a second dot is pure. */
const PURE_LIB = '^app/lib/[^.]+\\.ts$'
/** The two floors below the features: words and numbers that rooms share, and what a JSON call is. */
const DOMAIN = '^app/domain/[^.]+\\.ts$'
const CONTRACT = '^app/contract/[^.]+\\.ts$'
/** `ui/` draws, however deep it lies. */
const DECISION = '^app/features/(?!.+/ui/)[^.]+\\.ts$'
const DECISIONS = [DOMAIN, CONTRACT, DECISION]
const APP_TYPE = '^app/context/app-context\\.ts$'
const STORE_TYPE = '^db/store(\\.ts$|/)'
const ADAPTER_TYPE = '^app/adapters/[^.]+\\.ts$'
const CATALOGUE = '^app/domain/object-catalog\\.ts$'
const SETTINGS = '^app/boot/(env|env-[a-z]+|logger)\\.server\\.ts$'
/** The only modules that may import everything: they put the parts together. Composition has no other place. */
const WIRING = ['^app/boot/(?!(env|env-[a-z]+|logger)\\.)[^.]+\\.server\\.tsx?$', '^app/commands/[^.]+\\.server\\.ts$']
const ENTRIES = '^app/entry\\.(client|server)\\.tsx$'

/** Proofs, benches and trials: they may import everything, and only tests and scripts start them. */
const LAB = '^packages/lab/'

const SQL = 'node_modules/(drizzle-orm|better-sqlite3)/'
const HTTP_SERVER = 'node_modules/(express|compression|@remix-run/(node|express|serve))/'
const SOCKETS = '^(http|https|http2|net|tls|dgram|dns|dns/promises|child_process|cluster)$'

/**
 * @typedef {object} Row
 * @property {string} says the row in words; it is what a refused import prints
 * @property {string[]} from the files it speaks of; a group in brackets can be used as $1 in `may`
 * @property {string[]} may what they may import
 * @property {string[]} [mayType] what they may import with `import type` only
 * @property {string} [onlyPackages] the only packages they may import
 * @property {string[]} [notPackages] packages that belong to other parts
 * @property {string} [notNode] Node's own modules they must not import
 */

/** @type {Row[]} */
const TABLE = [
  {
    says: 'lib is the floor: it imports nothing else of ours',
    from: [LIB],
    may: [LIB],
    notPackages: [SQL, HTTP_SERVER],
  },
  {
    says: 'a pure file of lib imports no .server file and no module of Node',
    from: [PURE_LIB],
    may: [PURE_LIB],
    notNode: '.',
  },
  {
    says: 'domain is the floor below the features: it imports pure lib, itself and zod',
    from: ['^app/domain/'],
    may: [PURE_LIB, DOMAIN],
    onlyPackages: 'node_modules/zod/',
    notNode: '.',
  },
  {
    says: 'contract says what a JSON call is: it imports domain, pure lib and zod',
    from: ['^app/contract/'],
    may: [PURE_LIB, DOMAIN, CONTRACT],
    onlyPackages: 'node_modules/zod/',
    notNode: '.',
  },
  {
    says: 'a decision imports only decisions, domain, contract, lib, zod, croner and sanitize-html',
    from: [DECISION],
    may: [PURE_LIB, ...DECISIONS],
    onlyPackages: 'node_modules/(zod|croner|sanitize-html)/',
    notNode: '.',
  },
  {
    says: "a use case imports decisions, its own feature's use cases, and only types of Store, App and adapters",
    from: ['^app/features/([^/]+)/.+\\.server\\.tsx?$'],
    may: [LIB, ...DECISIONS, '^app/features/$1/(?!ui/|.+/ui/).*\\.server\\.ts$'],
    mayType: [APP_TYPE, STORE_TYPE, ADAPTER_TYPE],
    notPackages: [SQL, HTTP_SERVER, 'node_modules/(undici|pino|react|react-dom|@remix-run/react)/'],
    notNode: SOCKETS,
  },
  {
    says: 'the design system imports decisions, pure lib and itself',
    from: ['^app/ui/'],
    may: [PURE_LIB, ...DECISIONS, '^app/ui/'],
    notPackages: [SQL, HTTP_SERVER, 'node_modules/(undici|pino|jose|p-retry|remix-auth[^/]*)/'],
    notNode: '.',
  },
  {
    says: "pixels import decisions, app/ui and their own feature's pixels",
    from: ['^app/features/([^/]+)/(?:ui/|.+/ui/)'],
    may: [PURE_LIB, ...DECISIONS, '^app/ui/', '^app/features/$1/(?:ui/|.+/ui/)'],
    notPackages: [SQL, HTTP_SERVER, 'node_modules/(undici|pino|jose|p-retry|remix-auth[^/]*)/'],
    notNode: '.',
  },
  {
    says: 'db imports lib, and of domain only types: it knows no feature',
    from: ['^db/'],
    may: [LIB, '^db/'],
    mayType: [DOMAIN],
    notPackages: [HTTP_SERVER, 'node_modules/undici/'],
    notNode: SOCKETS,
  },
  {
    says: 'adapters import lib and adapters',
    from: ['^app/adapters/'],
    may: [LIB, '^app/adapters/'],
    notPackages: [SQL, HTTP_SERVER],
  },
  {
    says: 'a pure file of the adapters imports no .server file and no module of Node',
    // `ip-address.ts` reads and compares addresses with `node:net`, and opens no socket.
    from: ['^app/adapters/(?!outbound/ip-address\\.ts$)[^.]+\\.ts$'],
    may: [PURE_LIB, ADAPTER_TYPE],
    notNode: '.',
  },
  {
    says: 'the engine imports lib and the type of Store: it knows no feature',
    from: ['^app/engine/'],
    may: [LIB, '^app/engine/'],
    mayType: [STORE_TYPE],
    notPackages: [SQL, HTTP_SERVER, 'node_modules/undici/'],
    notNode: SOCKETS,
  },
  {
    says: 'the sandbox imports lib and the object catalogue: it has its own state',
    from: ['^packages/sandbox/'],
    may: [LIB, '^packages/sandbox/', CATALOGUE],
  },
  {
    says: 'routes and root import features, http, ui and lib',
    from: ['^app/routes/(?!(table|route-patterns)\\.ts$)', '^app/root\\.tsx$'],
    // What is too long for one route module goes into a file beside it.
    may: [LIB, DOMAIN, CONTRACT, '^app/features/', '^app/http/', '^app/ui/', '^app/routes/', '^app/styles/'],
    mayType: [APP_TYPE],
    notPackages: [SQL, 'node_modules/(undici|pino)/'],
    notNode: SOCKETS,
  },
  {
    says: 'http imports features and lib: data comes through the App it is given',
    from: ['^app/http/'],
    may: [LIB, DOMAIN, CONTRACT, '^app/features/(?!.+/ui/)', '^app/http/'],
    mayType: [APP_TYPE],
    notPackages: [SQL, 'node_modules/undici/'],
  },
  {
    says: 'env and logger import lib',
    from: [SETTINGS],
    // What of the configuration would make one file too long stands in files beside it.
    may: [LIB, '^app/boot/env-[a-z]+\\.server\\.ts$'],
    mayType: ['^app/boot/(env|logger)\\.server\\.ts$'],
    notPackages: [SQL, HTTP_SERVER],
  },
  {
    says: 'app-context imports types, and knows no feature',
    from: [APP_TYPE],
    may: [],
    mayType: [LIB, DOMAIN, STORE_TYPE, ADAPTER_TYPE],
  },
  {
    says: 'the table of routes names its modules as text; only its reader imports it',
    from: ['^app/routes\\.ts$', '^app/routes/(table|route-patterns)\\.ts$'],
    may: ['^app/routes/table\\.ts$'],
  },
  {
    says: 'the two entries hand over what boot and commands compose, and draw: they compose nothing themselves',
    from: [ENTRIES],
    may: [LIB, ...WIRING, '^app/http/', '^app/ui/'],
    mayType: [APP_TYPE],
    notPackages: [SQL, 'node_modules/undici/'],
    notNode: SOCKETS,
  },
  {
    says: 'scripts run the build: they import nothing of app, db or tests',
    from: ['^scripts/'],
    may: ['^scripts/', '^build/', '^[^/]+\\.(m?js|json)$'],
  },
]

/** From the ground up: a feature imports those before it, types included, and nothing of those behind it. */
const FEATURES = [
  'audit',
  'billing',
  'accounts',
  'notices',
  'events',
  'endpoints',
  'ops',
  'automations',
  'lookups',
  'templates',
  'reference',
]

const BUILDER = Object.keys(require('./packages/builder/package.json').dependencies).map(
  (name) => `node_modules/${name}/`,
)

/** A row as rules. An import that only names a type is judged by `may` and `mayType` together. */
function rulesOf(/** @type {Row} */ row) {
  const from = { path: row.from, pathNot: [TEST] }
  const rule = (/** @type {string} */ name, /** @type {object} */ to) => ({ name, severity: 'error', from, to })
  const rules = [rule(row.says, { path: OURS, pathNot: row.may, dependencyTypesNot: ['type-only'] })]
  rules.push(
    rule(`${row.says}, types included`, {
      path: OURS,
      pathNot: [...row.may, ...(row.mayType ?? [])],
      dependencyTypes: ['type-only'],
    }),
  )
  if (row.onlyPackages) {
    rules.push(
      rule(`${row.says}, and no other package`, {
        path: 'node_modules/',
        pathNot: row.onlyPackages,
        dependencyTypesNot: ['type-only'],
      }),
    )
  }
  if (row.notPackages) {
    rules.push(
      rule(`${row.says}; this package is for other parts`, {
        path: row.notPackages,
        dependencyTypesNot: ['type-only'],
      }),
    )
  }
  if (row.notNode) {
    rules.push(
      rule(`${row.says}; this module of Node is for other parts`, {
        path: row.notNode,
        dependencyTypes: ['core'],
        dependencyTypesNot: ['type-only'],
      }),
    )
  }
  return rules
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...TABLE.flatMap(rulesOf),
    ...FEATURES.slice(0, -1).map((feature, place) => ({
      name: 'a feature imports only features below it',
      severity: 'error',
      from: { path: `^app/features/${feature}/`, pathNot: [TEST] },
      to: { path: `^app/features/(${FEATURES.slice(place + 1).join('|')})/` },
    })),
    {
      name: 'a feature has its place in the order of features',
      severity: 'error',
      from: { path: '^app/features/', pathNot: [`^app/features/(${FEATURES.join('|')})/`] },
      to: {},
    },
    {
      name: 'a file of app, db or packages belongs to a part: add a row to the law for a new one',
      severity: 'error',
      from: { path: '^(app|db|packages)/', pathNot: [TEST, LAB, ...WIRING, ...TABLE.flatMap((row) => row.from)] },
      to: {},
    },
    {
      name: 'boot, jobs and other wiring are imported by wiring, tests, scripts and the lab',
      severity: 'error',
      from: { pathNot: [...WIRING, ENTRIES, TEST, LAB, '^(tests|scripts)/'] },
      to: { path: [...WIRING, ENTRIES] },
    },
    {
      name: 'SQL and its packages live in db; the sandbox keeps its own state',
      severity: 'error',
      from: { path: '^app/', pathNot: [TEST] },
      to: { path: SQL, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'what ships imports no test, no script and nothing of the lab',
      severity: 'error',
      from: { path: '^(app|db|packages)/', pathNot: [TEST, LAB] },
      to: { path: ['^(tests|scripts)/', LAB, TEST] },
    },
    {
      name: 'app and db know of the sandbox its one entry',
      severity: 'error',
      from: { path: '^(app|db)/', pathNot: [TEST] },
      to: { path: '^packages/sandbox/', pathNot: '^packages/sandbox/sandbox\\.server\\.ts$' },
    },
    {
      name: 'a unit test imports its own part, lib, decisions, db, adapters and tests/support: what crosses parts is a walk',
      severity: 'error',
      from: {
        path: `^(app/(?:lib|domain|contract|adapters|engine|ui|features/[^/]+)|db|packages/(?!lab/)[^/]+)/.*${TEST}`,
      },
      to: {
        path: OURS,
        pathNot: ['^$1/', LIB, ...DECISIONS, APP_TYPE, '^db/', '^app/adapters/', '^app/ui/', '^tests/(?!walks/|e2e/)'],
      },
    },
    {
      name: 'no test imports another test',
      severity: 'error',
      from: { path: [TEST, LAB, '^tests/'] },
      to: { path: [TEST, '\\.spec\\.ts$'] },
    },
    {
      name: 'modules do not import each other in a circle',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'every import leads to a file or a package that is there',
      severity: 'error',
      from: {},
      // The server's build is imported by scripts/serve.js and exists once the build has run.
      to: { couldNotResolve: true, pathNot: ['build/server/index\\.js$', '^virtual:'] },
    },
    {
      name: 'what ships uses dependencies, not devDependencies',
      severity: 'error',
      from: { path: '^(app|db|packages)/|^scripts/(serve|run)[^/]*$', pathNot: [TEST, LAB] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only', 'npm'] },
    },
    {
      // What builds the pages is named in packages/builder/package.json.
      name: 'a package that is imported is named in package.json',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'], pathNot: BUILDER },
    },
  ],
  options: {
    // Types count: without this an `import type` would be invisible.
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules|^build/' },
    exclude: { path: '^(build|data|test-results|playwright-report|\\.cache)/' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'require', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
}
