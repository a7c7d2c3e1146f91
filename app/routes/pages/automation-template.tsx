import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type SerializeFrom } from '@remix-run/node'
import { useActionData, useLoaderData } from '@remix-run/react'
import { TemplateSheet } from '#app/features/templates/ui/template-sheet.tsx'
import { formPageHeaders } from '#app/http/page-caching.ts'
import { unlessBackground } from '#app/ui/form/background.ts'
import { keepForm } from '#app/ui/form/unreached.tsx'
import { GATE_TITLE, OwnPage, titled } from '../own-page.tsx'
import { actOnSheet, lookAt, openSheet } from '../template-sheet.server.ts'
import { accountFrame, findOwnAccount, gateFor } from './own-account.server.ts'

export const meta = titled((page?: SerializeFrom<typeof loader>) =>
  page?.view === 'sheet' ? page.sheet.name : GATE_TITLE,
)

export const headers = formPageHeaders

/** `/automation/templates/:id?accountUUID=`: the blanks of one template, a try-out, and the button that turns it on. */
export async function loader(args: LoaderFunctionArgs) {
  const found = await findOwnAccount(args)
  if (found.outcome !== 'ready') return gateFor(found, args.request)
  return {
    view: 'sheet' as const,
    ...(await accountFrame(args.context.app, found)),
    sheet: await lookAt(args, await openSheet(args, found, null), 'preview'),
  }
}

export async function action(args: ActionFunctionArgs) {
  const answer = await actOnSheet(args)
  if (answer.sheet === null) return data(answer, { status: 404 })
  return data(answer, { status: Object.keys(answer.sheet.errors).length > 0 ? 400 : 200 })
}

export const clientAction = keepForm

export const shouldRevalidate = unlessBackground

export default function AutomationTemplate() {
  const page = useLoaderData<typeof loader>()
  const answered = useActionData<typeof action>()
  return (
    <OwnPage page={page}>
      {(shown) => <TemplateSheet key={shown.sheet.id} {...shown} sheet={answered?.sheet ?? shown.sheet} />}
    </OwnPage>
  )
}
