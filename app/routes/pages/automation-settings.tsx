import type { ActionFunctionArgs, LoaderFunctionArgs } from '@remix-run/node'
import { useActionData, useLoaderData } from '@remix-run/react'
import { DEFAULT_SETTINGS } from '#app/features/automations/settings/automation-settings.ts'
import { actOnSettings, loadSettingsPage } from '#app/features/automations/settings/settings-page.server.ts'
import { SettingsPage } from '#app/features/automations/settings/ui/settings-page.tsx'
import { readForm } from '#app/http/guards.server.ts'
import { formPageHeaders } from '#app/http/page-caching.ts'
import { keepForm, useUnreached } from '#app/ui/form/unreached.tsx'
import { useAnswerToast } from '#app/ui/toast/toast.tsx'
import { OwnPage, titled } from '../own-page.tsx'
import {
  accountFrame,
  addressOf,
  findOwnAccount,
  gateFor,
  redirectWith,
  requireOwnAccount,
} from './own-account.server.ts'

export const meta = titled('Automation settings')

export const headers = formPageHeaders

/** `/automation/settings?accountUUID=`: quiet hours, limits, sender, and the people no automation writes to. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { app } = context
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') return gateFor(found, request)
  return {
    view: 'settings' as const,
    ...(await accountFrame(app, found)),
    defaults: DEFAULT_SETTINGS,
    ...(await loadSettingsPage(app, found.account.uuid)),
  }
}

/** Saves, or allows messages again, then returns to the page with a message. Invalid input shows again as typed. */
export async function action({ request, context }: ActionFunctionArgs) {
  const found = await requireOwnAccount({ request, context })
  const acted = await actOnSettings(context.app, found.account.uuid, await readForm(request), found.staffUuid)
  if (acted.outcome === 'done') throw redirectWith({ context }, addressOf(request), acted.flash)
  return acted
}

export const clientAction = keepForm

export default function AutomationSettings() {
  const page = useLoaderData<typeof loader>()
  const answered = useActionData<typeof action>()
  const unreached = useUnreached()
  useAnswerToast(unreached?.toast ?? answered?.flash)
  const refused = unreached ? null : (answered ?? null)
  return <OwnPage page={page}>{(shown) => <SettingsPage {...shown} refused={refused} />}</OwnPage>
}
