// Explains a check of an address in plain words: every step on the way to it, its result, and what to do about it. The
// check sends no event; how the address answers events is known from the deliveries.
import type { AttemptTiming } from '#app/domain/deliveries/attempt-timing.ts'
import { type CheckStep, type StepName, worstStep } from '#app/domain/endpoints/endpoint-check.ts'
import { leadsElsewhere, redirectTarget } from '#app/features/events/delivering/answer.ts'
import { iso, type Millis } from '#app/lib/clock.ts'
import { days, seconds } from '#app/lib/duration.ts'
import { type AutomationTool, addressWord, answerWord, recogniseTool, type ToolWord } from '../automation-tools.ts'

/** The way to an address as a person sees it: its stations, in order, and the steps behind each. */
const STATIONS: readonly { title: string; steps: readonly StepName[] }[] = [
  { title: 'Address', steps: ['address'] },
  { title: 'Name', steps: ['name'] },
  { title: 'Connect', steps: ['connection'] },
  { title: 'TLS', steps: ['certificate'] },
  { title: 'Answer', steps: ['redirect', 'answer'] },
]

/** Returns the stations, each with its worst step. */
export function pathOf(steps: readonly CheckStep[]): { title: string; step: CheckStep }[] {
  const reached = steps.some(({ name, verdict }) => name === 'answer' && verdict !== 'skipped')
  return STATIONS.flatMap(({ title, steps: names }) => {
    const isEnd = names.includes('answer')
    const own = steps.filter(
      ({ name, atAnswer = reached && name === 'latest' }) => names.includes(name) || (isEnd && atAnswer),
    )
    const step = worstStep(own) ?? own.find(({ verdict }) => verdict === 'ok') ?? own[0]
    return step === undefined ? [] : [{ title, step }]
  })
}

/** Returns the steps that need somebody, the worst first. */
export function troubledSteps(steps: readonly CheckStep[]): CheckStep[] {
  const worst = worstStep(steps)
  return worst === null ? [] : [worst, ...steps.filter((step) => step !== worst && isTrouble(step))]
}

function isTrouble({ verdict }: CheckStep): boolean {
  return verdict === 'fail' || verdict === 'warn'
}

/** A check that found nothing goes away after a day; one that found something stays, with its age. */
export function isCheckShown({ at, steps }: { at: Millis; steps: readonly CheckStep[] }, now: Millis): boolean {
  return now - at < days(1) || worstStep(steps) !== null
}

/** The findings of a check: the part of the outbound adapter's report that is judged here. */
export interface SeenAddress {
  result:
    | { outcome: 'response'; status: number; headers: Readonly<Record<string, string>>; body: string; timing: Timing }
    | {
        outcome: 'blocked' | 'dns' | 'refused' | 'reset' | 'tls' | 'timeout' | 'protocol'
        sentence: string
        timing: Timing
      }
  endedAt: 'address' | 'name' | 'connection' | 'security' | 'answer'
  secure: boolean
  literal: boolean
  certificate: { validUntil: Millis; issuer: string | null } | null
}

type Timing = AttemptTiming & { totalMs: number }

/** How the address answered the latest event; null when none was sent yet. */
export interface LatestAnswer {
  code: number | null
  sentence: string
}

/** The maximum duration of a check. */
export const CHECK_TAKES_AT_MOST = seconds(8)

const CERTIFICATE_SOON = days(14)
/** An event may take up to 15 seconds. */
const SLOW = seconds(5)

/** Returns the seven steps, in order. Steps after the one that ended the check are `skipped`. */
export function checkSteps(
  address: { url: string; seen: SeenAddress; latest: LatestAnswer | null },
  now: Millis,
): CheckStep[] {
  const { url, seen, latest } = address
  const tool = recogniseTool(url, seen.result.outcome === 'response' ? seen.result.body : '')
  const reached = REACHES.indexOf(seen.endedAt)
  const upTo = (end: SeenAddress['endedAt'], step: () => CheckStep, name: StepName): CheckStep => {
    const at = REACHES.indexOf(end)
    if (reached < at) return skipped(name, 'Not checked: the step before did not work.')
    return step()
  }
  return [
    addressStep(seen, tool, url),
    upTo('name', () => nameStep(seen), 'name'),
    upTo('connection', () => connectionStep(seen), 'connection'),
    upTo('security', () => certificateStep(seen, now), 'certificate'),
    upTo('answer', () => redirectStep(seen, tool), 'redirect'),
    upTo('answer', () => answerStep(seen, tool), 'answer'),
    { ...latestStep(latest, tool), atAnswer: seen.endedAt === 'answer' && latest?.code != null },
  ]
}

const REACHES: readonly SeenAddress['endedAt'][] = ['address', 'name', 'connection', 'security', 'answer']

/** Sums up the check in one sentence. */
export function checkSummary(steps: readonly CheckStep[]): string {
  return worstStep(steps)?.sentence ?? 'Your address can be reached and answers.'
}

function addressStep(seen: SeenAddress, tool: AutomationTool | null, url: string): CheckStep {
  if (seen.endedAt === 'address' && seen.result.outcome !== 'response') {
    return { name: 'address', verdict: 'fail', sentence: seen.result.sentence, fix: 'Enter another callback URL.' }
  }
  const word = addressWord(tool, url)
  if (word) return { name: 'address', ...word }
  if (tool) return ok('address', `This is an address of ${tool.name}.`)
  if (!seen.secure) return ok('address', 'Address allowed. It is not encrypted (http).')
  return ok('address', 'Address allowed.')
}

function nameStep(seen: SeenAddress): CheckStep {
  if (seen.endedAt === 'name' && seen.result.outcome !== 'response') {
    const fix = 'Compare the address with the one your system shows. A new name may take an hour to work.'
    return { name: 'name', verdict: 'fail', sentence: seen.result.sentence, fix }
  }
  if (seen.literal) return skipped('name', 'The address has no name: it is a number.')
  const { dnsMs } = seen.result.timing
  return ok('name', `The name was found${dnsMs === null ? '' : ` in ${spent(dnsMs)}`}.`)
}

function connectionStep(seen: SeenAddress): CheckStep {
  if (seen.endedAt === 'connection' && seen.result.outcome !== 'response') {
    const fix = 'Is the receiving system running? Does its firewall let the internet in?'
    return { name: 'connection', verdict: 'fail', sentence: seen.result.sentence, fix }
  }
  const { connectMs } = seen.result.timing
  return ok('connection', `The connection was made${connectMs === null ? '' : ` in ${spent(connectMs)}`}.`)
}

function certificateStep(seen: SeenAddress, now: Millis): CheckStep {
  if (seen.endedAt === 'security' && seen.result.outcome !== 'response') {
    const fix = 'Renew the certificate on your server. Until then nothing can be delivered.'
    return { name: 'certificate', verdict: 'fail', sentence: seen.result.sentence, fix }
  }
  if (!seen.secure) return skipped('certificate', 'The address is plain http: there is no certificate.')
  const { certificate } = seen
  if (!certificate) return ok('certificate', 'The connection is secure.')
  const left = Math.floor((certificate.validUntil - now) / days(1))
  const valid = `The certificate is valid for ${left <= 0 ? 'less than a day' : `${left} more day${left === 1 ? '' : 's'}`}`
  if (certificate.validUntil - now >= CERTIFICATE_SOON) return ok('certificate', `${valid}.`)
  return {
    name: 'certificate',
    verdict: 'warn',
    sentence: `${valid}. After that nothing can be delivered.`,
    fix: 'Most systems renew it automatically. If yours does not, ask the person who runs it.',
  }
}

function redirectStep(seen: SeenAddress, tool: AutomationTool | null): CheckStep {
  const { result } = seen
  if (result.outcome !== 'response') return skipped('redirect', 'Not checked: no answer came.')
  if (!leadsElsewhere(result.status, result.headers.location)) return ok('redirect', 'No redirect.')
  const word = answerWord(tool, result.status, 'check')
  if (word) return { name: 'redirect', ...word }
  const target = redirectTarget(result.headers.location)
  return {
    name: 'redirect',
    verdict: 'fail',
    sentence: `Your address answered ${result.status} and redirects${target ? ` to ${target}` : ''}. Redirects are not followed.`,
    fix: target ? `Enter ${target} as the callback URL.` : 'Enter the final address as the callback URL.',
  }
}

function answerStep(seen: SeenAddress, tool: AutomationTool | null): CheckStep {
  const { result } = seen
  if (result.outcome !== 'response') {
    const fix = 'Is the receiving system busy or stuck? “Send test event” shows whether events get through.'
    return { name: 'answer', verdict: 'fail', sentence: result.sentence, fix }
  }
  const { status, headers } = result
  if (leadsElsewhere(status, headers.location)) return skipped('answer', 'Not checked: it redirects.')
  const ms = result.timing.firstByteMs ?? result.timing.totalMs
  const step = named('answer', answerWord(tool, status, 'check') ?? anyAnswer(status, headers))
  if (step.verdict !== 'ok') return step
  if (ms < SLOW) return { ...step, sentence: `${step.sentence} It took ${spent(ms)}.` }
  return {
    ...step,
    verdict: 'warn',
    sentence: `It took ${spent(ms)} to answer. The limit for an event is 15 seconds.`,
    fix: 'Let the receiving system answer first and do its work afterwards.',
  }
}

/** Explains an answer to a check from any server. A fault of the check itself is not a fault of the address. */
function anyAnswer(status: number, headers: Readonly<Record<string, string>>): ToolWord {
  if (status >= 200 && status < 300) return { verdict: 'ok', sentence: `Your address answered ${status}.`, fix: null }
  if (status >= 300 && status < 400) {
    return {
      verdict: 'fail',
      sentence: `Your address answered ${status}. For an event, that is no delivery.`,
      fix: '“Send test event” shows whether events get through.',
    }
  }
  switch (status) {
    case 401:
    case 403:
      return {
        verdict: 'warn',
        sentence: `Your server refused us (${status}). It wants a key or password, or a firewall blocks us.`,
        fix: 'Is the address complete? “Send test event” shows whether events are let in.',
      }
    case 404:
      return {
        verdict: 'warn',
        sentence: 'Your address answered 404. It may be mistyped, or its scenario switched off.',
        fix: 'Check the address. If a scenario is behind it, switch it on. “Send test event” shows whether events get through.',
      }
    case 410:
      return {
        verdict: 'fail',
        sentence: 'Your server says this address no longer exists (410).',
        fix: 'Make a new address in your system and enter it here.',
      }
    case 429:
      return {
        verdict: 'warn',
        sentence: 'Your address answered 429: it gets more requests than it wants.',
        fix: 'We send more slowly. Your tool may have a limit that you can raise.',
      }
    case 405:
    case 501:
      if (headers.allow !== undefined && !/\bpost\b/i.test(headers.allow)) {
        return {
          verdict: 'warn',
          sentence: `Your address answered ${status} and accepts only ${headers.allow.replace(/[^\w, -]/g, '').slice(0, 60)}. We send events with POST.`,
          fix: 'Let the receiving system accept POST at this address.',
        }
      }
      return wantsEvents(status)
  }
  if (status >= 500) {
    return {
      verdict: 'warn',
      sentence: `Your server returned an error (${status}).`,
      fix: '“Send test event” shows whether events get through.',
    }
  }
  return wantsEvents(status)
}

function wantsEvents(status: number): ToolWord {
  return { verdict: 'ok', sentence: `Your address answered ${status}. It only accepts events.`, fix: null }
}

function latestStep(latest: LatestAnswer | null, tool: AutomationTool | null): CheckStep {
  if (!latest) {
    return {
      ...skipped('latest', 'No event was sent to this address before the check.'),
      fix: '“Send test event” sends one that looks real.',
    }
  }
  const { code, sentence } = latest
  const word = code === null ? null : answerWord(tool, code, 'event')
  if (word) return named('latest', word)
  const good = code !== null && code >= 200 && code < 300
  return { name: 'latest', verdict: good ? 'ok' : 'fail', sentence, fix: code === 404 ? SWITCHED_OFF : null }
}

const SWITCHED_OFF = 'Check the address. If a scenario is behind it, switch it on.'

function named(name: StepName, word: ToolWord): CheckStep {
  return { name, verdict: word.verdict, sentence: word.sentence, fix: word.fix }
}

function ok(name: StepName, sentence: string): CheckStep {
  return { name, verdict: 'ok', sentence, fix: null }
}

function skipped(name: StepName, sentence: string): CheckStep {
  return { name, verdict: 'skipped', sentence, fix: null }
}

/** Formats a duration: `240 milliseconds`, `3.2 seconds`. */
function spent(ms: number): string {
  const whole = Math.max(1, Math.round(ms))
  if (whole < 1000) return `${whole} millisecond${whole === 1 ? '' : 's'}`
  return `${(whole / 1000).toFixed(1)} seconds`
}

/** The check as calls return it. */
export function checkJson({ url, at, steps }: { url: string; at: Millis; steps: readonly CheckStep[] }) {
  const verdict = worstStep(steps)?.verdict ?? 'ok'
  const told = steps.map(({ atAnswer, ...step }) => step)
  return { url, checkedAt: iso(at), verdict, summary: checkSummary(steps), steps: told }
}
