// The import law: who may import whom. One row per part, in the order of the table in docs; everything not listed is refused.
// Patterns are matched against paths from the root of the repository. `npx depcruise app db scripts tests` runs it alone.

const TEST = '\\.test\\.tsx?$'
const SERVER = '\\.server\\.tsx?$'
const UI = '^app/features/[^/]+/ui/'
/** Everything of ours, as opposed to packages and Node's own modules. */
const OURS = '^(app|db|scripts|tests|build)/|^[^/]+\\.(ts|js|mjs|cjs|json)$'

const LIB = '^app/lib/'
const PURE_LIB = '^app/lib/[^.]+\\.ts$'
const DECISION = '^app/features/(?![^/]+/ui/)[^.]+\\.ts$'
const APP_TYPES = '^app/app-context\\.ts$'
const STORE_TYPES = '^db/store(\\.ts$|/)'
const ADAPTER_TYPES = '^app/adapters/(platform|outbound|secret-box|payments)\\.ts$'
const CATALOGUE = '^app/features/webhooks/object-catalog\\.ts$'
const TESTS = '^tests/'

const SQL = 'node_modules/(drizzle-orm|better-sqlite3)/'
const HTTP_SERVER = 'node_modules/(express|compression|@remix-run/(node|express|serve))/'
const WIRE = '^(node:)?(http|https|http2|net|tls|dgram|dns|dns/promises|child_process|cluster)$'

/**
 * @typedef {object} Part
 * @property {string} name how the part is called in a message
 * @property {string | string[]} from its files
 * @property {string | string[]} [notFrom] of those, the ones another row speaks of
 * @property {string[]} may what it may import
 * @property {string[]} [mayType] what it may also import as `import type`
 * @property {string} says the row in words
 * @property {string[]} [onlyPackages] the only packages it may import as values
 * @property {string[]} [noPackages] packages it must not import as values
 * @property {boolean | string} [noNode] true: none of Node's own modules; a pattern: not these
 */

/** @type {Part[]} */
const PARTS = [
  {
    name: 'lib',
    from: LIB,
    may: [LIB],
    says: 'lib imports nothing of ours: it is the floor',
  },
  {
    name: 'a decision',
    from: DECISION,
    may: [PURE_LIB, DECISION],
    says: 'a decision imports only lib, decisions, zod and croner: no .server file, no db, no adapter, no pixels',
    onlyPackages: ['node_modules/(zod|croner)/'],
    noNode: true,
  },
  {
    name: 'a use case',
    from: '^app/features/([^/]+)/.*\\.server\\.ts$',
    may: [LIB, DECISION, '^app/features/$1/(?!ui/).*\\.server\\.ts$'],
    mayType: [APP_TYPES, STORE_TYPES, ADAPTER_TYPES],
    says: "a use case imports decisions, its own feature's use cases, and of Store, App and adapters only their types",
    noPackages: [SQL, HTTP_SERVER, 'node_modules/(undici|react|react-dom|@remix-run/react|pino)/'],
    noNode: WIRE,
  },
  {
    name: 'pixels',
    from: ['^app/ui/', `${UI}`],
    may: [PURE_LIB, DECISION, '^app/ui/'],
    says: "pixels import decisions, app/ui and their own feature's pixels: no .server file, no db, no adapter",
    noPackages: [SQL, HTTP_SERVER, 'node_modules/(undici|pino|jose|remix-auth|remix-auth-oauth2|p-retry)/'],
    noNode: true,
  },
  {
    name: 'db',
    from: '^db/',
    may: [LIB, '^db/'],
    mayType: [DECISION],
    says: 'db imports lib, and of decisions only types: no value of the app',
    noNode: WIRE,
  },
  {
    name: 'adapters',
    from: '^app/adapters/',
    may: [LIB, '^app/adapters/'],
    says: 'adapters import lib and adapters: no db, no feature',
    noPackages: [SQL, HTTP_SERVER],
  },
  {
    name: 'engine',
    from: '^app/engine/',
    may: [LIB, '^app/engine/'],
    mayType: [STORE_TYPES],
    says: 'the engine imports lib and the type of Store: it knows no feature',
    noPackages: [SQL, HTTP_SERVER, 'node_modules/undici/'],
    noNode: WIRE,
  },
  {
    name: 'sandbox',
    from: '^app/sandbox/',
    may: [LIB, '^app/sandbox/', CATALOGUE],
    says: "the sandbox imports lib and the object catalogue: no use case, no db of the product's",
  },
  {
    name: 'routes',
    from: ['^app/routes/', '^app/root\\.tsx$'],
    // A route that needs more room may have a file beside it, in the same folder.
    may: [LIB, '^app/features/', '^app/http/', '^app/ui/', '^app/routes/', '\\.css$'],
    mayType: [APP_TYPES],
    says: 'routes and root import features, http and ui: no db, adapter, engine, sandbox, boot or env',
    noPackages: [SQL, 'node_modules/(undici|pino)/'],
    noNode: WIRE,
  },
  {
    name: 'http',
    from: '^app/http/',
    may: [LIB, '^app/features/(?![^/]+/ui/)', '^app/http/'],
    mayType: [APP_TYPES],
    says: 'http imports features and lib; it reaches data only through the App it is given',
    noPackages: [SQL, 'node_modules/undici/'],
  },
  {
    name: 'env and logger',
    from: '^app/(env|logger)\\.server\\.ts$',
    may: [LIB],
    mayType: ['^app/(env|logger)\\.server\\.ts$'],
    says: 'env and logger import only lib',
    noPackages: [SQL, HTTP_SERVER],
  },
  {
    name: 'app-context',
    from: APP_TYPES,
    may: [],
    mayType: [LIB, DECISION, STORE_TYPES, ADAPTER_TYPES],
    says: 'app-context imports types only',
  },
  {
    name: 'the route table',
    from: '^app/routes\\.ts$',
    may: [],
    says: 'app/routes.ts names its modules as text and imports nothing of ours',
  },
]

/** Files the table above does not speak of: wiring. They may import everything but scripts and tests. */
const WIRING = ['^app/(boot|jobs)(\\.server\\.ts$|/)', '^app/entry\\.(server|client)\\.tsx$']

const list = (/** @type {string | string[] | undefined} */ value) => (value === undefined ? [] : [value].flat())

/** One row of the table as rules: values, types, packages, Node's modules. */
function rulesOf(/** @type {Part} */ part) {
  const from = { path: list(part.from), pathNot: [TEST, ...list(part.notFrom)] }
  const rules = [
    {
      name: part.says,
      severity: 'error',
      from,
      to: { path: OURS, pathNot: part.may, dependencyTypesNot: ['type-only'] },
    },
    {
      name: `${part.says} (a type counts too)`,
      severity: 'error',
      from,
      to: { path: OURS, pathNot: [...part.may, ...(part.mayType ?? [])], dependencyTypes: ['type-only'] },
    },
  ]
  const packages = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-bundled', 'npm-no-pkg']
  if (part.onlyPackages) {
    rules.push({
      name: `${part.name}: no other package`,
      severity: 'error',
      from,
      to: { path: 'node_modules', pathNot: part.onlyPackages, dependencyTypesNot: ['type-only'] },
    })
  }
  if (part.noPackages) {
    rules.push({
      name: `${part.name}: this package belongs to another part`,
      severity: 'error',
      from,
      to: { path: part.noPackages.join('|'), pathNot: [], dependencyTypesNot: ['type-only'] },
    })
  }
  if (part.noNode) {
    const path = part.noNode === true ? '.' : part.noNode
    rules.push({
      name: `${part.name}: no${part.noNode === true ? ' module of Node' : ' sockets and no processes of its own'}`,
      severity: 'error',
      from,
      to: { path, pathNot: packages.map(() => '^node_modules/'), dependencyTypes: ['core'] },
    })
  }
  return rules
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [],
}
