// Loads what the manager page shows besides the state of its cards: notices, their mail settings, and for each card the
// check of its address and the platform's silence.
import type { App } from '#app/context/app-context.ts'
import { worstStep } from '#app/domain/endpoints/endpoint-check.ts'
import { findObjectKind } from '#app/domain/object-catalog.ts'
import { type EndpointNotice, mailSettingsView, NOTICES_READ, noticeView } from '#app/features/notices/notice-view.ts'
import type { EndpointCheckRow } from '#db/store/notices.ts'
import type { EndpointDetails } from '../endpoint-view.ts'
import { RHYTHM_HOURS, silenceSentence, upstreamSilence } from '../subscriptions/upstream-silence.ts'
import { isShown } from '../subscriptions/upstream-text.ts'
import { loadMailSettings } from './mail-choice.server.ts'
import type { AccountNews, CardNews, NewsByCard } from './notice-view.ts'

type Described = Pick<EndpointDetails, 'view' | 'endpointId' | 'lastSuccessAt'>

export async function loadAccountNews(
  app: Pick<App, 'store' | 'clock' | 'settings'>,
  accountUuid: string,
  cards: readonly Described[],
): Promise<AccountNews> {
  const checks = new Map((await app.store.notices.listEndpointChecks(accountUuid)).map((one) => [one.endpointId, one]))
  const byCard: NewsByCard = {}
  for (const card of cards) {
    const found = await newsOf(app, accountUuid, card, checks.get(card.endpointId) ?? null)
    if (found) byCard[card.view.id] = found
  }
  const { choice, problem } = await loadMailSettings(app, accountUuid)
  const now = app.clock.now()
  const notices = (await app.store.notices.listNotices(accountUuid, NOTICES_READ, now, 'endpoint'))
    .map((row) => noticeView(row, now))
    .filter((notice): notice is EndpointNotice => notice.card !== null)
  return { notices, mail: mailSettingsView(choice, problem), byCard }
}

async function newsOf(
  app: Pick<App, 'store' | 'clock'>,
  accountUuid: string,
  { view, endpointId, lastSuccessAt }: Described,
  check: EndpointCheckRow | null,
): Promise<CardNews | null> {
  const now = app.clock.now()
  // Only silence of a webhook is news: a rule gets its share of the webhook's events, and the platform does not send
  // polled objects.
  const sent = typeof view.id === 'number' && findObjectKind(view.objectType)?.delivery !== 'polled'
  const listens = sent && view.status !== 'unsubscribed' && view.callbackUrl !== ''
  const rhythm = listens ? await app.store.notices.eventRhythm(accountUuid, endpointId, RHYTHM_HOURS) : null
  const silence = rhythm && upstreamSilence(rhythm, now)
  // What was delivered since disproves a failed check. One of another address says nothing about this one.
  const disproved = worstStep(check?.steps ?? [])?.verdict === 'fail' && (lastSuccessAt ?? 0) > (check?.at ?? 0)
  const looked = check && check.steps.length > 0 && check.url === view.callbackUrl && !disproved
  const upstream = check?.upstream && isShown(check.upstream, now) ? check.upstream : null
  if (!looked && !upstream && !silence) return null
  return {
    check: looked ? { at: check.at, steps: check.steps } : null,
    upstream,
    silence: silence ? { since: silence.since, sentence: silenceSentence(silence) } : null,
  }
}
