// Prints how many rule evaluations one core does per second, compared with the same conditions written by hand in plain
// JavaScript, in the same run. Speed is not a test: a missed bar is reported, and the exit code is still 0.
import { loadavg } from 'node:os'
import type { Condition, Operator } from '#app/domain/automations/rule.ts'
import type { JudgedAt, RecordFacts } from '#app/features/automations/records/facts.ts'
import { judge } from '#app/features/automations/rules/conditions/conditions.ts'
import { commandLine, recordFigures } from '../report/figures.ts'
import { keepFigures } from '../report/kept-figures.ts'
import { describeMachine } from '../report/machine.server.ts'

const BAR = 20_000

const { figures, keep } = keepFigures()
const RECORDS = 500
const DAY = 86_400_000
const AT: JudgedAt = { now: Date.UTC(2026, 10, 21, 9, 14), zone: 'Europe/London' }
const TODAY = Math.floor(AT.now / DAY)

const USAGE = `Usage: npm run bench:rules -- [--quick]
  --quick  about a second, less exact`

type Values = Readonly<Record<string, string>>

interface Rule {
  conditions: Condition[]
  /** The same condition, written by hand by somebody who knows the values' format. */
  byHand(values: Values): boolean
}

type Line = readonly [field: string, operator: Operator, value?: string]

const all = (...lines: Line[]): Condition[] =>
  lines.map(([field, operator, value = '']) => ({ field, operator, value, logicalOperator: 'AND' }))
const any = (...lines: Line[]): Condition[] => all(...lines).map((one) => ({ ...one, logicalOperator: 'OR' }))

/** Days since a local time; NaN when unset, so that every comparison is false. */
const since = (text = '') => TODAY - Date.parse(text.slice(0, 10)) / DAY
const overdue = (v: Values) =>
  v.payment_received === '1' || v.invoice_sent !== '1'
    ? Number.NaN
    : since(v.invoice_sent_stamp) - Number((v.company_payment_terms ?? '').split(' ')[0])
const has = (text = '', part = '') => text.toLowerCase().includes(part)

/** Twenty typical rules of firms: follow-ups, reminders, reports, alarms. */
const RULES: readonly Rule[] = [
  ...[2, 9].map((days) => ({
    conditions: all(
      ['status', 'equals', 'Quote'],
      ['quote_sent', 'equals', '1'],
      ['days_since_quote', 'greater_than', String(days)],
      ['days_since_quote', 'less_than', String(days + 12)],
      ['contact_mobile', 'is_not_empty'],
    ),
    byHand: (v: Values) =>
      v.status === 'Quote' &&
      v.quote_sent === '1' &&
      since(v.quote_date) > days &&
      since(v.quote_date) < days + 12 &&
      v.contact_mobile !== '',
  })),
  {
    conditions: all(
      ['status', 'equals', 'Quote'],
      ['days_since_quote', 'greater_than', '45'],
      ['days_since_change', 'greater_than', '14'],
    ),
    byHand: (v) => v.status === 'Quote' && since(v.quote_date) > 45 && since(v.edit_date) > 14,
  },
  ...[6, 13, 29].map((days) => ({
    conditions: all(
      ['status', 'equals', 'Completed'],
      ['invoice_sent', 'equals', '1'],
      ['payment_received', 'equals', '0'],
      ['days_overdue', 'greater_than', String(days)],
      ['badges', 'not_contains', 'Do not chase'],
      ['contact_email', 'is_not_empty'],
    ),
    byHand: (v: Values) =>
      v.status === 'Completed' &&
      v.invoice_sent === '1' &&
      v.payment_received === '0' &&
      overdue(v) > days &&
      !has(v.badges, 'do not chase') &&
      v.contact_email !== '',
  })),
  {
    conditions: all(
      ['status', 'equals', 'Completed'],
      ['days_since_completion', 'greater_than', '2'],
      ['days_since_completion', 'less_than', '90'],
      ['invoice_sent', 'equals', '0'],
      ['total_cost', 'greater_than', '0'],
    ),
    byHand: (v) =>
      v.status === 'Completed' &&
      since(v.completion_date) > 2 &&
      since(v.completion_date) < 90 &&
      v.invoice_sent !== '1' &&
      Number(v.total_invoice_amount) > 0,
  },
  ...['leak', 'burst', 'no heating'].map((word) => ({
    conditions: any(
      ['job_description', 'contains', word],
      ['job_description', 'contains', 'emergency'],
      ['purchase_order_number', 'starts_with', 'URG'],
    ),
    byHand: (v: Values) =>
      has(v.job_description, word) ||
      has(v.job_description, 'emergency') ||
      (v.purchase_order_number ?? '').toLowerCase().startsWith('urg'),
  })),
  ...['3', '7'].map((days) => ({
    conditions: all(
      ['created_date', 'less_than', `TODAY-${days}`],
      ['status', 'not_equals', 'Completed'],
      ['queue_uuid', 'is_empty'],
    ),
    byHand: (v: Values) => since(v.date) > Number(days) && v.status !== 'Completed' && v.queue_uuid === '',
  })),
  ...['100', '1,000'].map((amount) => ({
    conditions: all(
      ['total_cost', 'greater_than', amount],
      ['company_name', 'not_contains', 'test'],
      ['job_address', 'is_not_empty'],
    ),
    byHand: (v: Values) =>
      Number(v.total_invoice_amount) > Number(amount.replace(',', '')) &&
      !has(v.company_name, 'test') &&
      v.job_address !== '',
  })),
  {
    conditions: all(['contact_phone', 'is_empty'], ['contact_mobile', 'is_empty'], ['contact_email', 'is_empty']),
    byHand: (v) => v.contact_phone === '' && v.contact_mobile === '' && v.contact_email === '',
  },
  ...['Smith', 'Jones', 'Patel', 'Murphy', 'Brown'].map((name) => ({
    conditions: all(['contact_last_name', 'equals', name], ['updated_date', 'greater_than', 'TODAY-30']),
    byHand: (v: Values) => v.contact_last_name?.toLowerCase() === name.toLowerCase() && since(v.edit_date) < 30,
  })),
]

/** The parts of a job that those rules read, different for each job; the same in every run. */
function record(index: number): RecordFacts {
  const pick = (list: readonly string[], salt: number) => list[(index * 7919 + salt * 104_729) % list.length] ?? ''
  const day = (back: number) =>
    new Date((TODAY - back) * DAY + (index % 86_400) * 1000).toISOString().slice(0, 19).replace('T', ' ')
  const values = {
    status: pick(['Quote', 'Work Order', 'Completed', 'Completed', 'Unsuccessful'], 1),
    generated_job_id: String(1000 + index),
    job_description: pick(
      ['Replace boiler', 'Burst pipe in the kitchen', 'Annual service', 'No heating', 'EMERGENCY: leak', ''],
      2,
    ),
    job_address: pick(['12 High Street, Dundee', '1 Low Road, Leeds', ''], 3),
    purchase_order_number: pick(['', 'PO-77', 'URG-1'], 4),
    queue_uuid: pick(['', '99999999-8888-4777-8666-555555555555'], 5),
    badges: pick(['', '[]', '["VIP"]', '["Do not chase","VIP"]'], 6),
    date: day(index % 60),
    quote_date: day(index % 50),
    edit_date: day(index % 40),
    completion_date: index % 3 === 0 ? '0000-00-00 00:00:00' : day(index % 35),
    quote_sent: pick(['0', '1', ''], 7),
    invoice_sent: pick(['0', '1', '1'], 8),
    invoice_sent_stamp: day(index % 45),
    payment_received: pick(['0', '0', '1'], 9),
    total_invoice_amount: (((index * 37) % 2000) + 0.5).toFixed(2),
    company_name: pick(['Smith & Sons', 'Test account', 'Jones Ltd'], 10),
    company_payment_terms: pick(['7 days', '14 days', '30 days'], 11),
    contact_last_name: pick(['Smith', 'Jones', 'Patel', 'Murphy', 'Brown'], 12),
    contact_mobile: pick(['07700 900123', ''], 13),
    contact_phone: pick(['0113 496 0000', ''], 14),
    contact_email: pick(['margaret@example.test', ''], 15),
  }
  const recordUuid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  return {
    object: 'job',
    recordUuid,
    jobUuid: recordUuid,
    companyUuid: null,
    editDate: values.edit_date,
    active: true,
    jobActive: true,
    values,
    parts: [],
  }
}

interface Measured {
  /** Per second of processor time, so that other programs on the machine do not count. */
  perCoreSecond: number
  matched: number
}

/** Evaluates every rule on every record, repeatedly, until the processor time is used up. */
function measure(
  ms: number,
  ask: (rule: Rule, facts: RecordFacts) => boolean,
  records: readonly RecordFacts[],
): Measured {
  let verdicts = 0
  let matched = 0
  let rounds = 0
  const begun = process.cpuUsage()
  let used = 0
  while (used < ms) {
    for (const facts of records) for (const rule of RULES) if (ask(rule, facts)) matched += 1
    verdicts += records.length * RULES.length
    rounds += 1
    const { user, system } = process.cpuUsage(begun)
    used = (user + system) / 1000
  }
  return { perCoreSecond: (verdicts / used) * 1000, matched: matched / rounds }
}

/** Runs what `args` request. Returns the exit code: 0 whatever the figures, 1 when it could not run. */
export function benchRules(args: string[]): number {
  if (args.some((one) => one !== '--quick')) {
    console.error(USAGE)
    return 1
  }
  const ms = args.includes('--quick') ? 300 : 3_000
  const records = Array.from({ length: RECORDS }, (_, index) => record(index))
  const engine = (rule: Rule, facts: RecordFacts) => judge(rule.conditions, facts, AT).matched
  const bare = (rule: Rule, facts: RecordFacts) => rule.byHand(facts.values)
  console.log(`How fast rules are judged\n${describeMachine()}\nload average at the start: ${loads()}`)
  console.log(
    `\n${RULES.length} rules with ${RULES.flatMap((rule) => rule.conditions).length} conditions, ${RECORDS} jobs; processor time of this process`,
  )
  for (const ask of [engine, bare]) measure(ms / 5, ask, records)
  const rounds = [0, 1, 2].map(() => ({
    product: measure(ms / 3, engine, records),
    hand: measure(ms / 3, bare, records),
  }))
  const product = median(rounds.map((round) => round.product.perCoreSecond))
  const hand = median(rounds.map((round) => round.hand.perCoreSecond))
  const [first] = rounds
  if (!first || first.product.matched !== first.hand.matched) {
    console.error(`The two do not agree: ${first?.product.matched} matches, by hand ${first?.hand.matched}.`)
    return 1
  }
  line('verdicts of a rule on a record, per second of one core', whole(product))
  line('the same questions written by hand', whole(hand))
  line('matches in a round, the same for both', whole(first.product.matched))
  console.log('\nVerdicts')
  const word = product >= BAR ? 'reached' : 'MISSED'
  console.log(`  ${word.padEnd(12)}verdicts per second of one core: ${whole(product)}; bar ${whole(BAR)} or more`)
  console.log(`  ${'for scale'.padEnd(12)}beside predicates by hand in the same run: ${(product / hand).toFixed(3)}`)
  console.log(`\nload average at the end: ${loads()}`)
  keep('verdicts per second of one core', whole(product), { bar: `${whole(BAR)} or more`, met: product >= BAR })
  keep('beside predicates by hand in the same run', (product / hand).toFixed(3))
  recordFigures('bench-rules', {
    command: commandLine('bench:rules', { quick: args.includes('--quick') }),
    figures,
    faults: [],
  })
  return 0
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
function whole(value: number): string {
  return Math.round(value).toLocaleString('en-GB')
}
function line(label: string, value: string): void {
  keep(label, value)
  console.log(`  ${label.padEnd(58)}${value}`)
}
function loads(): string {
  return loadavg()
    .map((one) => one.toFixed(2))
    .join(' ')
}
