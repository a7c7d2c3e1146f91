// Entry points beyond one call of one function: a text takes several steps, or is part of something larger.
import { messageOf, readAnswer, retryMoment } from '#app/adapters/servicem8/servicem8-answer.ts'
import { OPERATORS } from '#app/domain/automations/rule.ts'
import { materialLine } from '#app/features/automations/actions/job-lines.ts'
import { notificationJson } from '#app/features/automations/actions/notification-body.ts'
import { aidsOf } from '#app/features/automations/form/form-aids.ts'
import { withKnownAnswers } from '#app/features/automations/form/form-blanks.ts'
import { openParts } from '#app/features/automations/form/form-blocks.ts'
import { draftOf } from '#app/features/automations/form/form-body.ts'
import { problemsOf } from '#app/features/automations/form/form-check.ts'
import { limitProblem } from '#app/features/automations/form/form-shown.ts'
import { emptyForm, type FormState, formOfFields, toForm } from '#app/features/automations/form/form-state.ts'
import { readForm } from '#app/features/automations/form/form-wire.ts'
import { offeredIn } from '#app/features/automations/form/placeholder-offer.ts'
import { checkRule } from '#app/features/automations/rules/checks/rule-check.ts'
import { conditionProblem, conditionText } from '#app/features/automations/rules/conditions/condition-text.ts'
import { judge, judgedParts, serverFilter } from '#app/features/automations/rules/conditions/conditions.ts'
import { safeSentHtml, withSafeEmails } from '#app/features/automations/rules/email-html.ts'
import { toFormLists } from '#app/features/automations/rules/form-lists.ts'
import { readImport } from '#app/features/automations/rules/import-rule.ts'
import { blankLabel, blanksIn, replaceBlanks } from '#app/features/automations/rules/placeholders/blanks.ts'
import { checkPlaceholders } from '#app/features/automations/rules/placeholders/placeholder-check.ts'
import type { Destination } from '#app/features/automations/rules/placeholders/placeholder-format.ts'
import { matchingChoices } from '#app/features/automations/rules/placeholders/placeholder-search.ts'
import { type PlaceholderScope, resolveText } from '#app/features/automations/rules/placeholders/placeholders.ts'
import { replyMatches, replyProblem, saysStop } from '#app/features/automations/rules/reply.ts'
import { withBlanksFilled } from '#app/features/automations/rules/rule-blanks.ts'
import { definitionOf } from '#app/features/automations/rules/rule-definition.ts'
import { sentenceOf } from '#app/features/automations/rules/sentence.ts'
import { readReplayForm } from '#app/features/endpoints/controls/replay-request.ts'
import { readPlatformCall } from '#app/features/events/event.ts'
import { fieldsFound } from '#app/features/lookups/api-fields.ts'
import { makeMapping } from '#app/features/lookups/dynamic-mapping.ts'
import { keptOfRecord, type LookupName, lookupRecords, templateTypes } from '#app/features/lookups/lookups.ts'
import { readFields } from '#app/http/guards.server.ts'
import { admitRequest } from '#app/http/origin-check.ts'
import { isVisit, refusalPage } from '#app/http/refusal-page.ts'
import { invalid } from '#app/http/respond.ts'
import { AT, wholeJob } from '#tests/support/record-facts.ts'
import { DIFFERENT_NAMES, type Shape } from './inputs.ts'
import type { Entrance } from './trials.ts'

const KB = 1024
/** Maximum size of a platform call. */
const CALL = 256 * KB
/** Maximum size of a body from the page or a call. */
const BODY = 100 * KB
/** Characters of one text of an action, as in `action-parameters.ts`. */
const ONE_TEXT = 20_000
const IMPORT = 400_000
/** Number of texts of that length that fit into one rule. */
const TEXTS_OF_RULE = 4
/** A list of the platform is as large as the account makes it. */
const LIST = 512 * KB

const pieces = (text: string, size: number) => text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []

function importOf(text: string): string {
  // Names and quotation marks around the text take up part of the allowed size.
  const actions = pieces(text.slice(0, IMPORT * 0.9), ONE_TEXT).map((customBody) => ({
    type: 'send_email',
    parameters: { contentType: 'manual', to: 'a@b.example', customSubject: 'x', customBody },
  }))
  const rules = Array.from({ length: Math.ceil(actions.length / TEXTS_OF_RULE) }, (_, n) => ({
    name: 'x',
    triggerSource: 'manual_endpoint',
    actions: actions.slice(n * TEXTS_OF_RULE, (n + 1) * TEXTS_OF_RULE),
  }))
  return JSON.stringify({ rules })
}

function formWith(text: string): FormState {
  const form = formOfFields({
    name: 'x',
    triggerSource: 'manual_endpoint',
    conditions: [{ field: 'status', operator: 'equals', value: text.slice(0, 1_000) }],
    actions: pieces(text, ONE_TEXT).map((customBody) => ({
      type: 'send_email',
      parameters: { contentType: 'html', customHtmlSubject: 'x', customHtmlBody: customBody },
    })),
  })
  return { ...emptyForm(), ...form }
}

const scope = (value: string): PlaceholderScope => ({
  records: [wholeJob({ job_description: value })],
  trigger: {},
  results: {},
  order: [],
  account: { name: 'A', email: 'a@b.example', zone: 'Europe/London', currency: 'GBP', country: 'GB' },
  now: AT.now,
})

/** One that is escaped, one that is parsed; the others are much like them. */
const FIRST: ReadonlySet<Destination> = new Set(['html', 'phone'])
const DESTINATIONS: readonly Destination[] = ['plain', 'html', 'subject', 'sms', 'json', 'phone', 'date', 'field']

const rendering = DESTINATIONS.flatMap((destination): Entrance[] => [
  {
    name: `a text with placeholders, filled in for ${destination}`,
    covers: ['app/features/automations/rules/placeholders/placeholders.ts resolveText'],
    ...(!FIRST.has(destination) && { wholeOnly: true as const }),
    limit: BODY,
    shapes: [DIFFERENT_NAMES, shape('{job_description or "x"} × n', '{job_description or "x"}')],
    prepare: (text) => () => resolveText(text, destination, scope('A boiler')),
  },
  {
    name: `a value of a record, filled in for ${destination}`,
    ...(!FIRST.has(destination) && { wholeOnly: true as const }),
    limit: BODY,
    prepare: (text) => () =>
      resolveText('<a title=">" href="{job_description}">{job_description}', destination, scope(text)),
  },
])

function shape(name: string, unit: string): Shape {
  return { name, make: (length) => unit.repeat(Math.max(1, Math.floor(length / unit.length))) }
}

/** An opening, followed only by spaces or words. */
const BEGUN = ['[[', '{', '{a or "', '{a'].flatMap((begin) =>
  [' ', 'a ', '\n'].map(
    (unit): Shape => ({
      name: `${JSON.stringify(begin)} and ${JSON.stringify(unit)} × n`,
      make: (length) => `${begin}${unit.repeat(Math.max(1, Math.floor(length / unit.length)))}`,
    }),
  ),
)

/** One of each type of field. */
const FIELDS = [
  'status',
  'job_description',
  'contact_mobile',
  'date',
  'total_invoice_amount',
  'days_since_completed',
  'badges',
]

const conditions = FIELDS.map(
  (field): Entrance => ({
    name: `conditions on ${field}`,
    covers: [
      'app/features/automations/rules/conditions/condition-test.ts areEqual',
      'app/features/automations/rules/conditions/condition-text.ts valueText',
      'app/features/automations/rules/conditions/conditions.ts judgedParts',
    ],
    limit: BODY,
    prepare: (text) => () =>
      OPERATORS.map((operator) => {
        const condition = { field, operator, value: text.slice(0, 1_000), logicalOperator: 'AND' as const }
        return [
          judge([condition], wholeJob({ [field]: text }), AT),
          judgedParts([{ conditions: [condition], once: `value:${text}` }], 'job'),
          serverFilter([condition], '/api_1.0/job.json', AT),
          conditionText(condition, 'job', {}),
          conditionProblem(condition, 'job'),
        ]
      }),
  }),
)

/** A list of the platform as the rule form renders it. */
function drawn(name: LookupName, records: readonly Record<string, unknown>[]) {
  const kept = records.map((record) => keptOfRecord(name, 'form', record))
  return toFormLists({ [name]: lookupRecords(name, kept) })
}

/** Bytes that may be kept of a converted platform list: a few fields of each record, each truncated. */
const KEPT_OF_A_LIST = 400_000

export const ENTRANCES: readonly Entrance[] = [
  {
    name: 'a platform call, its body',
    limit: CALL,
    shapes: [
      shape('a[]& × n', 'a[]&'),
      {
        name: 'object=job&entry[0][uuid]=u&a[]=1 × n',
        make: (length) => `object=job&entry[0][uuid]=u${'&a[]=1'.repeat(Math.floor(length / 6))}`,
      },
    ],
    prepare: (body) => () => readPlatformCall({ query: '', body }),
  },
  {
    name: 'a platform call, its query',
    limit: 16 * KB,
    prepare: (query) => () => readPlatformCall({ query, body: '' }),
  },
  {
    name: 'an import of rules, read and checked',
    covers: ['app/features/automations/rules/rule-definition.ts definitionOf'],
    limit: IMPORT,
    apart: true,
    shapes: [DIFFERENT_NAMES],
    prepare: (text) => {
      const json = importOf(text)
      return () => {
        const read = readImport(json.slice(0, IMPORT))
        if (read.outcome !== 'read') return read
        return read.rules.map(({ form }) => {
          const definition = definitionOf(form, null)
          return [checkRule(definition), sentenceOf(definition)]
        })
      }
    },
  },
  {
    name: 'a text of an action, its placeholders checked',
    covers: ['app/features/automations/rules/placeholders/placeholder-check.ts checkPlaceholders'],
    limit: BODY,
    shapes: [DIFFERENT_NAMES, ...BEGUN],
    prepare: (text) => () =>
      checkPlaceholders(text, {
        object: 'job',
        source: 'webhook',
        manyRecords: false,
        steps: [{ id: 's1', type: 'send_sms' }],
        index: 0,
        destination: 'plain',
        toCustomer: true,
      }),
  },
  {
    name: 'an answer of a customer',
    covers: ['app/features/automations/rules/reply.ts replyMatches'],
    limit: 2_000,
    shapes: BEGUN,
    prepare: (text) => () => [
      saysStop(text),
      replyMatches({ match: 'words', words: text.slice(0, 500) }, text),
      replyMatches({ match: 'yes', words: '' }, text),
      replyProblem({ match: 'words', words: text.slice(0, 500) }),
    ],
  },
  {
    name: 'a text with blanks',
    covers: ['app/features/automations/rules/placeholders/blanks.ts replaceBlanks'],
    limit: BODY,
    shapes: BEGUN,
    prepare: (text) => () => [replaceBlanks(text, (label) => label), blanksIn(text), blankLabel(`${text}]]`)],
  },
  {
    name: 'the rule form, what it says beside its fields',
    covers: [
      'app/features/automations/form/form-aids.ts aidsOf',
      'app/features/automations/rules/message-limits.ts lengthProblemOf',
      'app/features/automations/form/form-blanks.ts withKnownAnswers',
      'app/features/automations/form/form-blocks.ts openParts',
      'app/features/automations/form/form-shown.ts limitProblem',
      'app/features/automations/form/placeholder-offer.ts offeredIn',
      'app/features/automations/rules/checks/rule-check.ts destinationOf',
      'app/features/automations/rules/checks/rule-check.ts placeOfStep',
      'app/features/automations/rules/checks/rule-check.ts placeOfText',
      'app/features/automations/rules/conditions/condition-text.ts valueProblem',
      'app/features/automations/rules/checks/subject-check.ts subjectProblems',
      'app/features/automations/rules/checks/subject-check.ts withoutAlwaysEmpty',
      'app/features/automations/rules/checks/subject-check.ts alwaysEmptyText',
    ],
    limit: BODY,
    shapes: [DIFFERENT_NAMES],
    prepare: (text) => {
      const form = formWith(text)
      const names = form.steps.flatMap(({ key, parameters }) =>
        Object.keys(parameters).map((name) => `s.${key}.p.${name}`),
      )
      return () => [
        aidsOf(form, []),
        problemsOf(form),
        openParts(form),
        withKnownAnswers(form, text),
        names.map((name) => [limitProblem(form, name, text), offeredIn(form, name)]),
      ]
    },
  },
  {
    name: 'the fields of the largest form',
    limit: 1024 * KB,
    prepare: (text) => () => readFields(text),
  },
  {
    name: 'the rule form, as it is sent',
    covers: [
      'app/features/automations/form/form-wire.ts readForm',
      'app/features/automations/form/form-change.ts applyControls',
      'app/features/automations/form/form-change.ts setValue',
      'app/features/automations/form/form-change.ts valueAt',
    ],
    limit: BODY,
    prepare: (text) => {
      const entries = [...toForm(formWith(text)), ...new URLSearchParams(text)]
      return () => [readForm(entries), readForm([['state', text]])]
    },
  },
  ...rendering,
  ...conditions,
  {
    name: 'an e-mail of a rule, made safe',
    limit: BODY,
    prepare: (customHtmlBody) => () => [
      withSafeEmails({ actions: [{ type: 'send_email', parameters: { customHtmlBody } }] }),
      safeSentHtml(customHtmlBody),
    ],
  },
  {
    name: "the platform's e-mail templates, for choosing",
    limit: LIST,
    mostKept: KEPT_OF_A_LIST,
    prepare: (message) => {
      const template = { uuid: 'u', active: 1, name: message, subject: message, message }
      return () => drawn('email-templates', [template])
    },
  },
  {
    name: "the platform's jobs, for choosing",
    covers: ['app/features/lookups/lookups.ts keptOfRecord'],
    limit: LIST * 8,
    mostKept: KEPT_OF_A_LIST,
    common: false,
    shapes: [shape('records of 6 KB', 'a')],
    prepare: (text) => {
      const jobs = pieces(text, 6 * KB).map((piece, n) => ({
        uuid: `u${n}`,
        active: 1,
        job_description: `${n}${piece}`,
      }))
      return () => drawn('jobs', jobs)
    },
  },
  {
    name: 'records of the platform, their fields told',
    covers: ['app/features/lookups/lookups.ts templateTypes'],
    limit: LIST,
    prepare: (text) => {
      const all = pieces(text, 200).map((value, n) => ({ [`f${n}`]: value, list: [{ value }] }))
      return () => [fieldsFound(all), templateTypes(all)]
    },
  },
  {
    name: 'an answer of the platform',
    covers: ['app/adapters/servicem8/servicem8-answer.ts retryMoment'],
    limit: LIST,
    prepare: (text) => () => [
      messageOf({ status: 400, text }),
      readAnswer({ status: 429, headers: {}, text }, AT.now),
      retryMoment({ text, retryAfter: text, now: AT.now }),
    ],
  },
  {
    name: 'small texts of forms and calls, each where it goes',
    covers: [
      'app/features/automations/rules/placeholders/placeholder-search.ts matchingChoices',
      'app/features/automations/rules/rule-blanks.ts withBlanksFilled',
      'app/features/automations/actions/job-lines.ts materialLine',
      'app/features/automations/actions/notification-body.ts notificationJson',
      'app/features/lookups/dynamic-mapping.ts makeMapping',
      'app/features/endpoints/controls/replay-request.ts readReplayForm',
      'app/http/origin-check.ts admitRequest',
      'app/http/refusal-page.ts isVisit',
      'app/http/refusal-page.ts refusalPage',
    ],
    limit: BODY,
    prepare: (text) => {
      const answers = Object.fromEntries(pieces(text, 50).map((piece) => [piece, piece]))
      const definition = draftOf(formWith(text))
      const issues = pieces(text, 50).map((piece) => ({ path: [piece], message: piece }))
      return () => [
        matchingChoices([{ name: text, label: text, group: 'Record' }], text),
        withBlanksFilled(definition, answers),
        materialLine({ name: text, price: text }, { quantity: text, unitCost: text, bundle: null }),
        notificationJson({ message: text, rows: [{ name: text, value: text }], automation: null, job: null, jobs: 1 }),
        makeMapping(text, [{ api: 'jobs', field: text }], text),
        readReplayForm({ since: text, status: text, objectUuid: text }, AT.now, AT.zone),
        admitRequest({ method: 'POST', url: `/${text}`, headers: { origin: text } }, 'https://a.example'),
        invalid(issues).status,
        isVisit({ method: 'GET', url: text, accept: text }),
        refusalPage({ url: text, accept: `${text},text/html`, message: text, origin: 'https://a.example' }),
      ]
    },
  },
]
