// Looks at the histories of all jobs whose look is due: many accounts side by side, one job of an account at a time.
import type { App } from '#app/context/app-context.ts'
import type { Conversation } from '#app/domain/automations/conversation.ts'
import { runsAddress } from '#app/domain/automations/history-address.ts'
import { recordNames } from '#app/domain/record-name.ts'
import { timeText } from '#app/domain/time/moments.ts'
import { hours, minutes, seconds } from '#app/lib/duration.ts'
import type { UntoldAnswer } from '#db/store/listening.ts'
import { shorten } from '../actions/failure-text.ts'
import { isActive, valuesOf } from '../records/fact-rows.ts'
import { senderOf } from '../records/staff-members.server.ts'
import { loadSettings } from '../settings/automation-settings.server.ts'
import { type JudgeApp, judgeMessages } from './judge-messages.server.ts'
import { type LookApp, lookAt, refusedUntil } from './look.server.ts'

const AT_ONCE = 16
/** In one round of an account, so that one with many jobs leaves others their turn. */
const PER_ACCOUNT = 20

export function createListener(app: TellApp & JudgeApp) {
  async function listen(conversation: Conversation): Promise<number> {
    const { accountUuid, channel } = conversation
    try {
      const until = await refusedUntil(app, conversation)
      if (until !== null) {
        await app.store.listening.postponeLook(conversation, { nextLookAt: until, refusedAt: null })
        return 0
      }
      const looked = await lookAt(app, conversation)
      return looked.outcome === 'looked' ? looked.moved : 0
    } catch (error) {
      app.log.error({ account: accountUuid, channel, error }, 'history.look_failed')
      const nextLookAt = app.clock.now() + minutes(1)
      await app.store.listening.postponeLook(conversation, { nextLookAt, refusedAt: null })
      return 0
    }
  }

  async function listenInTurn(conversations: readonly Conversation[]): Promise<number> {
    let moved = 0
    for (const conversation of conversations) moved += await listen(conversation)
    return moved
  }

  return {
    /**
     * Looks at what is due. Never rejects because of one job. `moved`: runs that start or go on, because a message was
     * found in the history, or a customer answered. `nextAt`: when the next look is due; null = none.
     */
    async round() {
      const now = app.clock.now()
      const due = await app.store.listening.dueConversations(now, {
        limit: AT_ONCE * PER_ACCOUNT,
        perAccount: PER_ACCOUNT,
      })
      const accounts = [...new Set(due.map((one) => one.accountUuid))].slice(0, AT_ONCE)
      const moved = await Promise.all(
        accounts.map((account) => listenInTurn(due.filter((one) => one.accountUuid === account))),
      )
      // First, so that a colleague reads whether a rule deals with the answer.
      const started = await judgeMessages(app)
      await tellStaff(app)
      const nextAt = await app.store.listening.nextLookAt()
      return {
        moved: moved.reduce((sum, count) => sum + count, started),
        nextAt: nextAt === null ? null : Math.max(nextAt, now + seconds(1)),
      }
    },
  }
}

// One staff message for each answer, with the customer's words. It has our own id, so trying again sends it once.
type TellApp = LookApp & Pick<App, 'settings'>

const TOLD_AT_ONCE = 50
const GAPS: readonly number[] = [minutes(1), minutes(5), minutes(30), hours(2), hours(6)]
const MOST_WORDS = 300

/** Tells of every answer that is due. Never rejects because of one. */
async function tellStaff(app: TellApp): Promise<void> {
  for (const answer of await app.store.listening.answersToTell(app.clock.now(), TOLD_AT_ONCE)) {
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
  const said = `${who} answered${about} by ${channel === 'sms' ? 'text' : 'e-mail'} at ${timeText(writtenAt, account?.timezone ?? 'UTC')}:`
  const then =
    state === 'muted'
      ? 'They asked for no more messages, so automations send none.'
      : state === 'rule'
        ? 'An automation deals with it.'
        : 'Automatic messages to them wait for you'
  const link = `${app.settings.origin}${runsAddress({ accountUUID: accountUuid, admin: false })}`
  return `${said}\n"${shorten(words, MOST_WORDS)}"\n${state === 'open' ? `${then}: ${link}` : then}`
}
