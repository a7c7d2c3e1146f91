import type { LoaderFunctionArgs } from '@remix-run/node'
import { useLoaderData } from '@remix-run/react'
import { accountIdIn } from '#app/domain/account-id.ts'
import { logEnds } from '#app/domain/kept-until.ts'
import { isListedAdmin } from '#app/domain/session.ts'
import { findPageAccount } from '#app/features/accounts/page-account.server.ts'
import { Gate } from '#app/features/accounts/ui/gate.tsx'
import { findPlanNotice } from '#app/features/billing/plan.server.ts'
import { PlanNoticeLine } from '#app/features/billing/ui/plan-notice-line.tsx'
import { loadApiActivity, loadWebhookActivity } from '#app/features/events/activity.server.ts'
import {
  ACTIVITY_TEXTS,
  apiItems,
  newestFirst,
  readActivityType,
  webhookItems,
} from '#app/features/events/activity-view.ts'
import { namesForPage } from '#app/features/events/record-names.server.ts'
import { ActivityPage, ActivityWithoutAccount } from '#app/features/events/ui/activity-page.tsx'
import { logRefusedPage } from '#app/http/refusals.server.ts'
import { forbidden } from '#app/http/respond.ts'
import { findSession } from '#app/http/session.server.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { titled } from '../own-page.tsx'
import { gateFor } from './own-account.server.ts'

export const meta = titled('Webhook activity')

/** `/webhook-activity?accountUUID=`: for admins only. The address has no flag, so only the list of admins decides. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { app } = context
  const query = new URL(request.url).searchParams
  // Other pages pick an account of the session; this page needs one by name.
  const named = accountIdIn(query)
  if (named === null) return { view: 'no_account' as const }
  const session = await findSession(app, request)
  const found = await findPageAccount(app, session, { query, adminHeader: request.headers.get('x-admin-mode') })
  if (found.outcome !== 'ready') {
    await logRefusedPage({ request, context }, 'gate', session)
    return gateFor(found, request)
  }
  const { account, accountId, admin, staffUuid } = found
  if (!isListedAdmin(app.settings.adminAccounts, { accountUuid: account.uuid, staffUuid })) {
    await logRefusedPage({ request, context }, 403, session)
    throw forbidden(ACTIVITY_TEXTS.forbidden)
  }
  const [planNotice, events, calls] = await Promise.all([
    findPlanNotice(app, account.uuid, found),
    loadWebhookActivity(app, account.uuid, namesForPage(app)),
    loadApiActivity(app, account.uuid),
  ])
  return {
    view: 'activity' as const,
    accountUUID: accountId,
    accountName: account.name,
    timezone: account.timezone,
    admin,
    planNotice,
    now: app.clock.now(),
    logEnds: logEnds(app.settings.retentionDays, app.space.switches(), app.space.isOverShare(account.uuid)),
    type: readActivityType(query.get('type')),
    allRows: query.get('rows') === 'all',
    items: newestFirst(webhookItems(events), apiItems(calls)),
  }
}

export default function WebhookActivity() {
  const page = useLoaderData<typeof loader>()
  switch (page.view) {
    case 'no_account':
      return <ActivityWithoutAccount />
    case 'gate':
      return <Gate {...page} />
    case 'activity':
      // Another account is another page: nothing of the first may stay.
      return (
        <>
          <PlanNoticeLine notice={page.planNotice} accountUUID={page.accountUUID} admin={page.admin} />
          <ActivityPage key={page.accountUUID} {...page} />
        </>
      )
    default:
      return assertNever(page)
  }
}
