import { data, type LoaderFunctionArgs, type SerializeFrom } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { readHistoryView } from '#app/domain/automations/history-address.ts'
import { countNeedsPerson, loadHistory, loadUpcoming } from '#app/features/automations/history/history-page.server.ts'
import { asksWhatNeedsYou, HistoryPage } from '#app/features/automations/history/ui/history-page.tsx'
import { UpcomingPage } from '#app/features/automations/history/ui/upcoming-page.tsx'
import { WhyPage } from '#app/features/automations/history/ui/why-page.tsx'
import { explainRecord } from '#app/features/automations/preview/why-not.server.ts'
import { parseRuleId } from '#app/features/automations/rules/rule-form.ts'
import { namesForPage } from '#app/features/events/record-names.server.ts'
import { loadKnownNames } from '#app/features/lookups/known-names.server.ts'
import { OwnPage, titled } from '../own-page.tsx'
import { accountFrame, findOwnAccount, gateFor } from './own-account.server.ts'
import { pressRunButton } from './run-actions.server.ts'

export const meta = titled((page?: SerializeFrom<typeof loader>) => {
  if (page?.view === 'upcoming') return 'Upcoming runs'
  if (page?.view === 'why') return 'Why did this job not fire?'
  return page?.view === 'runs' && asksWhatNeedsYou(page.form) ? 'Needs you' : 'Run history'
})

/** `/automation/runs?accountUUID=`: a filter; `view=upcoming`; `view=why` with `job`. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { app } = context
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') return data(gateFor(found, request))
  const { account: row } = found
  const { searchParams } = new URL(request.url)
  const frame = { ...(await accountFrame(app, found)), needsYou: await countNeedsPerson(app, row.uuid) }
  const view = readHistoryView(searchParams)
  const named = { ...app, namesOf: namesForPage(app) }
  if (view === 'upcoming') {
    const after = parseRuleId(searchParams.get('after') ?? '')
    return data({ view, ...frame, ...(await loadUpcoming(named, row.uuid, after)) })
  }
  if (view === 'why') {
    const asked = (searchParams.get('job') ?? '').trim().slice(0, 100)
    const names = asked === '' ? {} : await loadKnownNames(app, row.uuid)
    const answer = asked === '' ? null : await explainRecord(named, row.uuid, asked, names)
    return data({ view, ...frame, asked, answer }, { status: answer?.outcome === 'refused' ? 400 : 200 })
  }
  const history = await loadHistory(named, row.uuid, searchParams, row.timezone)
  return data({ view, ...frame, ...history }, { status: history.lines === null ? 400 : 200 })
}

export const action = pressRunButton

export default function AutomationRuns() {
  const page = useLoaderData<typeof loader>()
  return <OwnPage page={page}>{(shown) => <View {...shown} />}</OwnPage>
}

type Shown = Exclude<SerializeFrom<typeof loader>, { view: 'gate' }>

function View(page: Shown) {
  switch (page.view) {
    case 'upcoming':
      return <UpcomingPage {...page} />
    case 'why':
      return <WhyPage {...page} />
    default:
      return <HistoryPage {...page} />
  }
}
