// Texts for an account's automation settings: on the automations page, in the rule form, in the list of changes.
import type { AccountGuards, AutomationSettings } from '#app/domain/automations/account-guards.ts'
import { plural } from '#app/domain/time/moments.ts'
import type { Flash } from '#app/lib/flash.ts'
import type { QuietChoice } from './automation-settings.ts'

type QuietHours = Pick<AccountGuards, 'quietFrom' | 'quietTo' | 'quietWeekends' | 'quietForAll'>

/** The engine reads two equal times as none. */
export function quietChoice({ quietFrom, quietTo, quietWeekends, quietForAll }: QuietHours): QuietChoice {
  if (quietFrom === quietTo && !quietWeekends) return 'none'
  return quietForAll ? 'all' : 'asked'
}

/** `20:00 to 08:00, and all Saturday and Sunday`. */
function quietSpan({ quietFrom, quietTo, quietWeekends }: Omit<QuietHours, 'quietForAll'>): string {
  if (quietFrom === quietTo) return 'all Saturday and Sunday'
  return `${quietFrom} to ${quietTo}${quietWeekends ? ', and all Saturday and Sunday' : ''}`
}

function quietSentence(hours: QuietHours): string {
  const choice = quietChoice(hours)
  if (choice === 'none') return 'no quiet hours'
  const whose = choice === 'all' ? 'for all automations' : 'for automations that ask for them'
  return `quiet hours ${quietSpan(hours)}, ${whose}`
}

/** Hint for the rule's own quiet hours option. */
export function quietHint(hours: QuietHours): { words: string; link: string } {
  const choice = quietChoice(hours)
  if (choice === 'none') return { words: 'No quiet hours are set, so this changes nothing.', link: 'Set quiet hours' }
  if (choice === 'all') {
    return { words: `Your quiet hours (${quietSpan(hours)}) hold for all automations already.`, link: 'Change them' }
  }
  return {
    words: `Messages to customers wait until your quiet hours (${quietSpan(hours)}) are over.`,
    link: 'Change them',
  }
}

const QUIET = ['quietFrom', 'quietTo', 'quietWeekends', 'quietForAll'] as const

function limitText(settings: AccountGuards, others: AccountGuards): string[] {
  const { customerCooldownDays, ruleDailyCap, accountDailyCap, floodPerHour } = settings
  const differs = (name: keyof AccountGuards) => settings[name] !== others[name]
  return [
    QUIET.some(differs) ? [quietSentence(settings)] : [],
    differs('customerCooldownDays') ? [cooldownText(customerCooldownDays)] : [],
    differs('ruleDailyCap') ? [`at most ${messages(ruleDailyCap)} to customers a day from one automation`] : [],
    differs('accountDailyCap') ? [`at most ${messages(accountDailyCap)} to customers a day from all together`] : [],
    differs('floodPerHour') ? [`${messages(floodPerHour)} to customers an hour before you are asked`] : [],
  ].flat()
}

function cooldownText(days: number): string {
  if (days === 0) return 'any time between messages to one number or e-mail'
  return `at least ${plural(days, 'day')} between messages to one number or e-mail`
}

function messages(count: number): string {
  return plural(count, 'message')
}

/** One line for the automations page: quiet hours if on, settings that differ from the defaults, and the mutes. */
export function limitsLine(
  settings: AccountGuards,
  defaults: AccountGuards,
  mutes: readonly { kind: 'company' | 'job' }[],
): string {
  const count = (kind: 'company' | 'job', one: string, many: string) => {
    const found = mutes.filter((mute) => mute.kind === kind).length
    return found === 0 ? [] : [found === 1 ? `1 ${one}` : `${found} ${many}`]
  }
  const stopped = [
    ...count('company', 'customer', 'customers').map((who) => `no messages to ${who}`),
    ...count('job', 'job', 'jobs').map((what) => `no messages about ${what}`),
  ]
  const said = [...limitText(settings, defaults), ...stopped]
  if (said.length === 0) return usualLimits(settings)
  const quiet = quietSentence(settings)
  if (quietChoice(settings) !== 'none' && !said.includes(quiet)) said.unshift(quiet)
  return `Your limits: ${said.join('; ')}.`
}

function usualLimits(settings: AccountGuards): string {
  const choice = quietChoice(settings)
  if (choice === 'none') return 'Quiet hours: off.'
  return `Quiet hours: ${quietSpan(settings).replace(' to ', '–')}${choice === 'all' ? '' : ' where asked'}.`
}

/** Describes a change for the list of changes; '' = no change. `senderName` = name of the new sender. */
export function changeText(before: AutomationSettings, after: AutomationSettings, senderName: string | null): string {
  const changed = limitText(after, before)
  if (before.senderStaffUuid !== after.senderStaffUuid) {
    const who =
      after.senderStaffUuid === null ? 'the first active staff member' : (senderName ?? 'another staff member')
    changed.push(`staff messages and signatures from ${who}`)
  }
  return changed.length === 0 ? '' : `Set: ${changed.join('; ')}.`
}

/** `Margaret Smith`, or a generic term if the name is unknown. */
export function mutedName({ kind, name }: { kind: 'company' | 'job'; name: string }): string {
  return name || (kind === 'company' ? 'a customer' : 'a job')
}

export const SOMEBODY = 'A signed-in user'
export const OTHERS_STAYED = 'Settings changed after this page was opened stayed as they are.'

export const SETTINGS_FLASHES = {
  saved: { kind: 'success', title: 'Settings saved', description: 'They apply to every message from now on.' },
  unchanged: { kind: 'info', title: 'Nothing changed', description: 'Your settings stay the same.' },
  wrong: {
    kind: 'error',
    title: 'Not saved',
    description: 'Check the marked fields.',
  },
  notMuted: { kind: 'info', title: 'Already allowed', description: 'Messages were already allowed.' },
} as const satisfies Record<string, Flash>

export function mutedFlash(name: string): Flash {
  return {
    kind: 'success',
    title: 'Messages stopped',
    description: `Automations stop writing to ${name} until you allow it again. Waiting messages are skipped.`,
  }
}

export function allowedFlash(name: string): Flash {
  return { kind: 'success', title: 'Messages allowed again', description: `Automations may write to ${name} again.` }
}

export function notMutedFlash(why: string): Flash {
  return { kind: 'error', title: 'Messages not stopped', description: why }
}
