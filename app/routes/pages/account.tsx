import {
  type ActionFunctionArgs,
  data,
  type HeadersFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
} from '@remix-run/node'
import { useActionData, useLoaderData } from '@remix-run/react'
import { accountAddress, accountQuery, readAccountStep } from '#app/domain/account-address.ts'
import { loadAccountPage } from '#app/features/accounts/account-page.server.ts'
import { nameToType } from '#app/features/accounts/erasure.ts'
import { loadPeople } from '#app/features/accounts/people.server.ts'
import { AccountPage } from '#app/features/accounts/ui/account-page.tsx'
import { Gate } from '#app/features/accounts/ui/gate.tsx'
import { loadAuditLog } from '#app/features/audit/audit-page.server.ts'
import { AuditLog } from '#app/features/audit/ui/audit-log.tsx'
import { staffNames } from '#app/features/automations/settings/automation-settings.server.ts'
import { findPlanNotice } from '#app/features/billing/plan.server.ts'
import { PlanNoticeLine } from '#app/features/billing/ui/plan-notice-line.tsx'
import { findSession } from '#app/http/session.server.ts'
import { pressAccountButton } from './account-acts.server.ts'
import { findOwnAccount, gateFor } from './own-account.server.ts'

export const meta: MetaFunction<typeof loader> = ({ data: page }) => [
  { title: page?.view === 'gate' ? 'Connect to ServiceM8 · Fieldhook' : 'Account and security · Fieldhook' },
]

// Sign-in locations must not be cached on disk.
export const headers: HeadersFunction = () => ({ 'Cache-Control': 'no-store' })

/** `/account?accountUUID=`: `step` opens a question, `log=all` is the operator's list, the rest filters the list. */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const { app } = context
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') return data(gateFor(found, request))
  const { account: row, accountId, admin } = found
  const { searchParams } = new URL(request.url)
  const everybody = admin && searchParams.get('log') === 'all'
  const people = await loadPeople(app, row.uuid, found, () => staffNames(app, row.uuid))
  const names = Object.fromEntries(people.people.map(({ staffUuid, name }) => [staffUuid, name]))
  const log = await loadAuditLog(app, row, searchParams, { everybody, staffNames: async () => names })
  const facts = await loadAccountPage(app, row.uuid, await findSession(app, request))
  const page = {
    view: 'account' as const,
    account: { accountUUID: accountId, admin },
    accountName: row.name,
    timezone: row.timezone,
    now: app.clock.now(),
    planNotice: await findPlanNotice(app, row.uuid),
    step: readAccountStep(searchParams),
    nameToType: nameToType(row),
    people,
    ...facts,
    sessions: facts.sessions.map((one) => ({ ...one, name: (one.staffUuid !== null && names[one.staffUuid]) || null })),
    log,
  }
  return data(page, { status: log.lines === null ? 400 : 200 })
}

export async function action({ request, context }: ActionFunctionArgs) {
  const refused = await pressAccountButton({ request, context })
  return data(refused, { status: 400 })
}

export default function Account() {
  const page = useLoaderData<typeof loader>()
  const refused = useActionData<typeof action>()
  if (page.view === 'gate') return <Gate state={page.state} accountUUID={page.accountUUID} token={page.token} />
  const { account, log } = page
  const list: Record<string, string> = log.everybody ? { log: 'all' } : {}
  const other = log.everybody
    ? { to: accountAddress(account), label: 'Only this account' }
    : { to: accountAddress(account, undefined, { log: 'all' }), label: 'All accounts' }
  return (
    <>
      <PlanNoticeLine notice={page.planNotice} {...account} />
      <AccountPage {...page} refused={refused ?? null}>
        <AuditLog
          {...log}
          carried={{ ...accountQuery(account), ...list }}
          addressOf={(asked) => accountAddress(account, undefined, { ...list, ...asked })}
          other={account.admin ? other : null}
        />
      </AccountPage>
    </>
  )
}
