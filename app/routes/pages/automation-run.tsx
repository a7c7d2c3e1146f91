import { data, type LoaderFunctionArgs, type SerializeFrom } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { RUNS_KEPT } from '#app/domain/kept-until.ts'
import { spanText } from '#app/domain/time/moments.ts'
import { countNeedsPerson, loadRun } from '#app/features/automations/history/history-page.server.ts'
import { RunPage } from '#app/features/automations/history/ui/run-page.tsx'
import { parseRuleId } from '#app/features/automations/rules/rule-form.ts'
import { goneRun } from '#app/features/events/gone-text.ts'
import { namesForPage } from '#app/features/events/record-names.server.ts'
import { GonePage } from '#app/ui/page/error-page.tsx'
import { GATE_TITLE, OwnPage, titled } from '../own-page.tsx'
import { accountFrame, findOwnAccount, gateFor } from './own-account.server.ts'
import { pressRunButton } from './run-actions.server.ts'

export const meta = titled((page?: SerializeFrom<typeof loader>) => {
  if (page?.view === 'gone') return page.gone.title
  return page?.view === 'run' ? `${page.run.line.job}, run ${page.run.line.id}` : GATE_TITLE
})

/** `/automation/runs/:id?accountUUID=`: one page for ids that expired, never existed, or belong to another account. */
export async function loader({ request, params, context }: LoaderFunctionArgs) {
  const { app } = context
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') return gateFor(found, request)
  const { account, accountId, admin } = found
  const id = parseRuleId(params.id)
  const loaded = id === null ? null : await loadRun({ ...app, namesOf: namesForPage(app) }, account.uuid, id)
  if (loaded === null) {
    const shown = { accountUUID: accountId, admin }
    return data({ view: 'gone' as const, ...shown, gone: goneRun(shown, spanText(RUNS_KEPT)) }, { status: 404 })
  }
  return {
    view: 'run' as const,
    ...(await accountFrame(app, found)),
    needsYou: await countNeedsPerson(app, account.uuid),
    ...loaded,
  }
}

export const action = pressRunButton

export default function AutomationRun() {
  const page = useLoaderData<typeof loader>()
  if (page.view === 'gone') return <GonePage {...page.gone} />
  return <OwnPage page={page}>{(shown) => <RunPage key={shown.run.line.id} {...shown} />}</OwnPage>
}
