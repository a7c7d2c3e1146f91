// One staff message for each answer, with the customer's words. It has our own id, so trying again sends it once.
import type { App } from '#app/context/app-context.ts'
import { runsAddress } from '#app/domain/automations/history-address.ts'
import { recordNames } from '#app/domain/record-name.ts'
import { localStamp } from '#app/domain/time/local-time.ts'
import type { Millis } from '#app/lib/clock.ts'
import { hours, minutes } from '#app/lib/duration.ts'
import { wallAt } from '#app/lib/zone.ts'
import type { UntoldAnswer } from '#db/store/listening.ts'
import { shorten } from '../actions/failure-text.ts'
import { isActive, valuesOf } from '../records/fact-rows.ts'
import { senderOf } from '../records/staff-members.server.ts'
import { loadSettings } from '../settings/automation-settings.server.ts'
import type { LookApp } from './look.server.ts'

export type TellApp = LookApp & Pick<App, 'settings'>

const AT_ONCE = 50
const GAPS: readonly number[] = [minutes(1), minutes(5), minutes(30), hours(2), hours(6)]
const MOST_WORDS = 300

/** Tells of every answer that is due. Never rejects because of one. */
export async function tellStaff(app: TellApp): Promise<void> {
  for (const answer of await app.store.listening.answersToTell(app.clock.now(), AT_ONCE)) {
    try {
      await tell(app, answer)
    } catch (error) {
      app.log.error({ account: answer.accountUuid, answer: answer.id, error }, 'answer.not_told')
      await app.store.listening.noteTold(answer.accountUuid, answer.id, app.clock.now() + minutes(1))
    }
  }
}

async function tell(app: TellApp, answer: UntoldAnswer): Promise<void> {
  const { accountUuid, id } = answer
  const staffUuid = await colleagueOf(app, accountUuid)
  const told = staffUuid === null ? 'later' : await send(app, answer, staffUuid)
  const gap = told === 'later' ? GAPS[answer.tellTries] : undefined
  await app.store.listening.noteTold(accountUuid, id, gap === undefined ? null : app.clock.now() + gap)
  app.log.info({ account: accountUuid, answer: id, told }, 'answer.told')
}

/** The sender of the account's settings, else the first active colleague; null = the list cannot be read. */
async function colleagueOf(app: TellApp, accountUuid: string): Promise<string | null> {
  const answer = await app.callAsAccount(accountUuid, (api, token) => api.list(token, 'staff'), {
    priority: 'background',
  })
  if (answer.outcome !== 'ok') return null
  const { senderStaffUuid } = await loadSettings(app, accountUuid)
  const sender = senderOf({ senderStaffUuid }, answer.value.map(valuesOf).filter(isActive))
  return sender.outcome === 'found' ? sender.uuid : null
}

async function send(app: TellApp, answer: UntoldAnswer, staffUuid: string): Promise<'told' | 'later' | 'never'> {
  const { accountUuid, jobUuid, tellUuid } = answer
  const fields = {
    from_staff_uuid: staffUuid,
    to_staff_uuid: staffUuid,
    message: await messageOf(app, answer),
    regarding_job_uuid: jobUuid,
  }
  const made = await app.callAsAccount(
    accountUuid,
    (api, token) => api.create(token, 'staffmessage', fields, { uuid: tellUuid }),
    { priority: 'background' },
  )
  // 409: an earlier try made it.
  if (made.outcome === 'ok' || (made.outcome === 'refused' && made.status === 409)) return 'told'
  return made.outcome === 'refused' ? 'never' : 'later'
}

async function messageOf(app: TellApp, answer: UntoldAnswer): Promise<string> {
  const { accountUuid, jobUuid, channel, words, writtenAt, state } = answer
  const account = await app.store.accounts.findAccount(accountUuid)
  const known = recordNames(await app.store.records.knownOf(accountUuid, [{ object: 'job', recordUuid: jobUuid }]))
  const { job = '', customer = '' } = known.get(jobUuid) ?? {}
  const who = customer || 'A customer'
  const about = job === '' ? '' : ` about job ${job}`
  const said = `${who} answered${about} by ${channel === 'sms' ? 'text' : 'e-mail'} at ${timeOf(writtenAt, account?.timezone)}:`
  const then =
    state === 'muted'
      ? 'They asked for no more messages, so automations send none.'
      : state === 'rule'
        ? 'An automation deals with it.'
        : 'Automatic messages to them wait for you'
  const link = `${app.settings.origin}${runsAddress({ accountUUID: accountUuid, admin: false })}`
  return `${said}\n"${shorten(words, MOST_WORDS)}"\n${state === 'open' ? `${then}: ${link}` : then}`
}

function timeOf(at: Millis, zone = 'UTC'): string {
  return localStamp(wallAt(at, zone)).slice(11, 16)
}
