// What `npm run mutate` asks of Stryker: the modules that guard other people's businesses, and the unit tests that know them.

/** What guards, what says who may, and what holds keys. */
export const MODULES = {
  guard: [
    'app/adapters/outbound/ip-address.ts',
    'app/adapters/outbound/safe-address.ts',
    'app/adapters/outbound/outbound-resolver.server.ts',
    'app/adapters/outbound/outbound-dial.server.ts',
    'app/adapters/outbound/outbound-connections.server.ts',
  ],
  rights: [
    'app/http/origin-check.ts',
    'app/http/guards.server.ts',
    'app/http/session.server.ts',
    'app/http/cookies.ts',
    'app/http/refusals.server.ts',
    'app/http/door.server.ts',
    'app/domain/session.ts',
    'app/features/accounts/session.server.ts',
    'app/features/accounts/signed-opening.ts',
    'app/features/accounts/signed-opening.server.ts',
    'app/domain/account-id.ts',
    'app/features/accounts/link.server.ts',
  ],
  tokens: [
    'app/lib/token.server.ts',
    'app/adapters/secret-box.ts',
    'app/adapters/secret-box.server.ts',
    'app/adapters/sealed-text.server.ts',
    'app/adapters/servicem8/servicem8-signed.server.ts',
    'app/adapters/standard-webhooks.server.ts',
    'app/features/accounts/sealed-tokens.server.ts',
    'app/features/ops/rotate-keys.server.ts',
  ],
}
export const REPORT = '.cache/mutation/report.json'

/** @param {{ parent?: { type: string, callee?: { name?: string } }, node: { type: string, expression?: unknown }, toString(): string }} path of Babel */
function shouldIgnore(path) {
  const { node, parent } = path
  if (node.type === 'ExpressionStatement' && /^((app|deps)\.)?log\.(debug|info|warn|error)\(/.test(path.toString()))
    return 'what is only said to the log'
  const isText = node.type === 'StringLiteral' || node.type === 'TemplateLiteral'
  if (isText && parent?.type === 'NewExpression' && /Error$/.test(parent.callee?.name ?? ''))
    return 'the sentence of an error'
  return undefined
}

/** An ignorer is a plugin: this one is given to Stryker as part of its configuration. */
export const strykerPlugins = [{ kind: 'Ignore', name: 'log-and-sentences', value: { shouldIgnore } }]

export default {
  mutate: Object.values(MODULES).flat(),
  testRunner: 'vitest',
  vitest: { configFile: 'vitest.mutation.config.ts' },
  plugins: ['@stryker-mutator/vitest-runner', './stryker.config.mjs'],
  ignorers: ['log-and-sentences'],
  coverageAnalysis: 'perTest',
  // The first run of all tests together, on a machine that others use too.
  dryRunTimeoutMinutes: 15,
  timeoutMS: 20_000,
  reporters: ['json', 'clear-text', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: REPORT },
  tempDirName: '.cache/mutation/copies',
  incrementalFile: '.cache/mutation/incremental.json',
  ignorePatterns: ['/build', '/data', '/public', '/test-results', '/.cache'],
}
