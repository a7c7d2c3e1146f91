// Values for the other parameters, by type; how much text can reach a function; and what no outside text can reach.
import type { Around } from './inputs.ts'

const AT = Date.UTC(2026, 10, 22, 9)
const ACCOUNT = { name: 'A', email: 'a@b.c', zone: 'Europe/London', currency: 'GBP', country: 'GB' }
const TRIGGER = {
  source: 'api_polling',
  endpoint: '/api_1.0/job.json',
  method: 'GET',
  interval: 'daily',
  runTime: '09:00',
  weekday: 1,
  dayOfMonth: 1,
  workingDays: false,
  scheduleType: 'immediate',
  scheduleDate: null,
  scheduleRecurrence: null,
}
const FACTS = {
  object: 'job',
  recordUuid: 'r',
  jobUuid: 'r',
  companyUuid: null,
  editDate: '2026-11-21 09:00:00',
  active: true,
  values: {},
}

/** By type, as written in the source. */
export const BESIDE: Readonly<Record<string, unknown>> = {
  string: 'job',
  'string | null': null,
  'string | undefined': undefined,
  'string | null | undefined': null,
  unknown: null,
  number: 20,
  'number | null': null,
  Millis: AT,
  'Millis | null': null,
  boolean: true,
  'readonly string[]': ['status'],
  'string[]': [],
  'ReadonlySet<string>': new Set(['a']),
  'ReadonlyMap<string, string>': new Map(),
  'Readonly<Record<string, string>>': {},
  'Readonly<Record<string, string>> | null': null,
  'Record<string, string>': { 'content-type': 'text/plain' },
  'Readonly<Record<string, unknown>>': {},
  URLSearchParams: new URLSearchParams(),
  ActionType: 'send_email',
  ActionParameters: {},
  Values: {},
  'Values | null': null,
  KnownNames: {},
  Destination: 'html',
  Format: 'money',
  Operator: 'equals',
  FormatAccount: ACCOUNT,
  JudgedAt: { now: AT, zone: 'Europe/London' },
  '{ now: Millis; zone: string }': { now: AT, zone: 'Europe/London' },
  '{ now: number; zone: string }': { now: AT, zone: 'Europe/London' },
  NameContext: { object: 'job', hasOwn: () => false },
  PollTrigger: TRIGGER,
  'WebhookTrigger | ManualTrigger': { source: 'manual_endpoint', schedule: TRIGGER },
  RecordFacts: FACTS,
  SessionKind: 'top',
  AddressRules: { selfHosts: new Set(), selfIps: [], egressAllow: [] },
  '{ uuid: string; name: string }': { uuid: 'u', name: 'Smith & Sons' },
  Asked: { field: 'status', operator: 'equals', value: 'Completed', logicalOperator: 'AND' },
  'readonly Asked[]': [],
  'readonly Condition[]': [],
  GroupingField: 'company_uuid',
  OncePolicy: 'record',
  '(field: string) => string': (field: string) => field,
  '(text: string, signature: string) => boolean': () => true,
  '(text: string) => string': () => 'x',
  'Draft | null': null,
  Clock: { now: AT, zone: 'Europe/London' },
  "'date' | 'moment'": 'moment',
  RegExp: /[,;]/,
}

/** Characters that its callers let through, when less than a whole body. By function. */
export const LIMITS: Readonly<Record<string, { most: number; because: string }>> = {}

/** Maximum size of a body of the page, of the calls and of a file. */
export const USUAL_LIMIT = 100 * 1024

/** Prefix and suffix that a parser expects before it reads the rest. By function. */
export const AROUND: Readonly<Record<string, readonly Around[]>> = {}

const SETTINGS = 'settings of the operator'
const WORDS = 'makes words of what was read, and bounded, before'
const ROWS = 'rows of the database: bounded when they were written'

/** What no stranger's text reaches, and why: by folder, by file or by function. */
export const OWN_TEXT: Readonly<Record<string, string>> = {
  'app/features/automations/page/long-work.ts': 'copies the issues that a schema found, one by one',
  'app/http/page-template.ts':
    'cuts what the router drew; what is filled in goes through four patterns of one character each',
  'app/routes/places.ts': 'looks at the start of the path alone',
  'app/contract': 'the reference is made of our own schemas when the process starts',
  'app/features/reference': 'the reference is made of our own schemas when the process starts',
  'app/features/templates/building-blocks.ts': 'the library of templates is ours',
  'app/lib/backup-settings.ts': SETTINGS,
  'app/lib/tracing-settings.ts': SETTINGS,
  'app/lib/security-contact.ts': SETTINGS,
  'app/lib/remembered.ts': 'a cache around a function that is tried itself',
  'app/adapters/outbound/safe-address.ts addressRules': SETTINGS,
  'app/adapters/servicem8/servicem8-answer.ts mapAnswer': 'hands on what readAnswer read',
  'app/adapters/stripe/stripe-objects.ts idOf': 'ids of the payment provider',
  'app/engine/lane-window.ts': 'ids of our own',
  'app/domain/account-address.ts accountAddress': 'an address of ours',
  'app/domain/account-id.ts decideNamedAs': 'ids that readAccountId read',
  'app/domain/credential.ts credentialAnswer': WORDS,
  'app/features/accounts/erasure.ts nameToType': WORDS,
  'app/features/accounts/open-sessions.ts openSessions': ROWS,
  'app/domain/people.ts ownerNote': WORDS,
  'app/features/accounts/remembered.ts idsToTry': 'sealed by us',
  'app/domain/session.ts actsAsAdmin': 'compares two texts',
  'app/domain/session.ts isListedAdmin': 'a look into a set',
  'app/features/accounts/sign-in.ts signInReturn': WORDS,
  'app/features/accounts/permissions.ts missingScopes': ROWS,
  'app/features/audit/audit.ts actorText': WORDS,
  'app/features/automations/actions/failure-text.ts reportTrouble': WORDS,
  'app/features/automations/records/changes.ts namedRecord': 'a look into a map',
  'app/features/automations/rules/conditions/condition-text.ts failedText': WORDS,
  'app/features/automations/form/form-of-rule.ts formOfRule': ROWS,
  'app/features/automations/history/run-list-view.ts runsByDay': ROWS,
  'app/features/events/delivery-detail.ts requestHeaders': ROWS,
  'app/lib/json.ts ownValue': 'looks a name up in a table of ours',
  'app/features/automations/form/form-shown.ts isParameterShown': 'names of our own controls',
  'app/domain/automations/history-address.ts': 'an address of ours',
  'app/features/automations/rules/import-rule.ts exportRule': ROWS,
  'app/features/automations/rules/journal.ts afterPlanPutOff': ROWS,
  'app/domain/local-time.ts': 'moments and zones',
  'app/lib/zone.ts': 'moments and zones',
  'app/lib/families.ts': 'names of our own methods',
  'db/acts.ts mapId': 'ids of a fixed length, looked up',
  'db/acts.ts linkWithTicket': 'ids of a fixed length, looked up',
  'db/postgres/rows-as-lists.ts rowsAsLists': 'names of our own columns, when the store opens',
  'app/features/automations/preview/backtest.ts basisOf': ROWS,
  'app/features/automations/rules/timing/once-text.ts': WORDS,
  'app/features/automations/preview/preview-view.ts': WORDS,
  'app/features/automations/rules/rule-json.ts ruleJson': ROWS,
  'app/features/automations/preview/run-now-text.ts ranBeforeText': WORDS,
  'app/features/automations/listening/receipts.ts': 'one pass over rows of the platform, with shortened texts',
  'app/features/automations/listening/answers.ts newAnswers':
    'one pass over rows of the platform, with shortened texts',
  'app/features/automations/runs/run-order.ts': ROWS,
  'app/features/automations/runs/run-parts.ts': ROWS,
  'app/features/automations/settings/settings-text.ts': WORDS,
  'app/features/billing/first-payment-choice.ts': 'ids and amounts of the payment provider',
  'app/features/billing/payment.ts refused': WORDS,
  'app/features/billing/plan-notice.ts planNotice': WORDS,
  'app/features/events/delivering/delivery.ts expiredWhileHeld': ROWS,
  'app/domain/deliveries/attempt-timing.ts timingOf': ROWS,
  'app/domain/delivery-address.ts searchAddress': 'an address of ours',
  'app/features/events/delivery-detail.ts deliveryView': ROWS,
  'app/features/events/fan-out.ts chooseEndpoints': 'names of fields that readPlatformCall read',
  'app/features/events/search-view.ts deliveryTitle': WORDS,
  'app/features/events/polled-changes.ts changesOf': 'records that readListed read',
  'app/domain/polling.ts': WORDS,
  'app/features/lookups/dynamic-mapping.ts exportMappings': 'what readMappings read',
  'app/features/ops/backups.ts': 'manifests of our own backups',
  'app/domain/process-signs.ts loopState': 'numbers of our own process',
  'app/domain/record-name.ts recordName': ROWS,
  'app/domain/sealed-places.ts': 'places of our own',
  'app/domain/space.ts overShare': 'ids of accounts',
  'app/features/endpoints/automation-tools.ts addressWord': WORDS,
  'app/features/events/gone-text.ts': WORDS,
  'app/features/endpoints/endpoint-view.ts titleOf': WORDS,
  'app/features/endpoints/controls/control-text.ts testedFlash': WORDS,
  'app/features/endpoints/ui/form/check-webhook-form.ts':
    'runs in the browser of whoever types; the server reads forms its own way',
  'app/features/endpoints/controls/endpoint-check.ts': ROWS,
  'app/features/endpoints/field-search.ts afterRefused': 'names of fields that were bounded when they were chosen',
  'app/features/endpoints/notices/notice-mail.ts afterMail': ROWS,
  'app/features/endpoints/notices/notice-mail.ts postponed': ROWS,
  'app/features/endpoints/subscriptions/subscription-plan.ts planRepairs': ROWS,
  'app/features/endpoints/subscriptions/upstream-text.ts': WORDS,
  'app/features/endpoints/api/endpoint-json.ts': ROWS,
  'app/features/endpoints/endpoint-status.ts': ROWS,
  'app/domain/endpoints/watched-fields.ts fieldsToWatch': ROWS,
  'app/http/cookies.ts rememberedCookie': 'sealed by us',
  'app/http/launch-pages.ts': 'texts and tickets of our own',
  'app/http/refusal-page.ts refusalHtml': 'sentences of our own',
  'app/http/refusal-page.ts plainHtml': 'sentences of our own',
  'app/http/security-headers.ts': 'texts of our own',
  'app/ui/scripts-ahead.ts': 'files of our own',
}

/** The reason why no stranger's text reaches it; null when it does. */
export function whyOwnText({ file, name }: { file: string; name: string }): string | null {
  const places = [`${file} ${name}`, file, ...file.split('/').map((_, n, parts) => parts.slice(0, n).join('/'))]
  return places.map((place) => OWN_TEXT[place]).find((reason) => reason !== undefined) ?? null
}
