import { data, type LoaderFunctionArgs, type SerializeFrom } from '@remix-run/node'
import { useActionData, useLoaderData } from '@remix-run/react'
import { type AccountPart, accountAddress, accountPartAt, accountQuery, END_ALL } from '#app/domain/account-address.ts'
import { runAddress } from '#app/domain/automations/history-address.ts'
import { loadKept } from '#app/features/accounts/account-page.server.ts'
import { nameToType } from '#app/features/accounts/erasure.ts'
import { listOpenSessions } from '#app/features/accounts/open-sessions.server.ts'
import { AccountPartFrame } from '#app/features/accounts/ui/account-frame.tsx'
import { ErasePage } from '#app/features/accounts/ui/erase-page.tsx'
import { ExportPage } from '#app/features/accounts/ui/export-page.tsx'
import { RetentionPage } from '#app/features/accounts/ui/retention-page.tsx'
import { SessionsPage } from '#app/features/accounts/ui/sessions-page.tsx'
import { loadAuditLog } from '#app/features/audit/audit-page.server.ts'
import { AuditLog } from '#app/features/audit/ui/audit-log.tsx'
import { unstoredPageHeaders } from '#app/http/page-caching.ts'
import { findSession } from '#app/http/session.server.ts'
import { assertNever } from '#app/lib/assert-never.ts'
import { GATE_TITLE, OwnPage, titled } from '../own-page.tsx'
import { accountFrame, findOwnAccount, gateFor, type OwnAccount } from '../pages/own-account.server.ts'
import { pressAccountButton } from './account-acts.server.ts'
import { namedPeople } from './account-data.server.ts'

const TITLES: Record<AccountPart, string> = {
  sessions: 'Active sessions',
  activity: 'Who did what',
  retention: 'Data retention',
  export: 'Export',
  erase: 'Erase this account',
}

export const meta = titled((page?: SerializeFrom<typeof loader>) =>
  page === undefined || page.view === 'gate' ? GATE_TITLE : TITLES[page.view],
)

// Sign-in locations must not be cached on disk.
export const headers = unstoredPageHeaders

/** `/account/sessions?accountUUID=` and the other pages below "Account and security". */
export async function loader({ request, context }: LoaderFunctionArgs) {
  const part = accountPartAt(new URL(request.url).pathname)
  if (part === null) throw new Response(null, { status: 404 })
  const found = await findOwnAccount({ request, context })
  if (found.outcome !== 'ready') return data(gateFor(found, request))
  const page = { ...(await accountFrame(context.app, found)), ...(await contentOf(part, { request, context }, found)) }
  return data(page, { status: page.view === 'activity' && page.log.lines === null ? 400 : 200 })
}

type Args = Pick<LoaderFunctionArgs, 'request' | 'context'>

async function contentOf(part: AccountPart, { request, context: { app } }: Args, found: OwnAccount) {
  const { account } = found
  const { searchParams } = new URL(request.url)
  if (part === 'retention') return { view: part, ...(await loadKept(app, account.uuid)) }
  const { people, names } = await namedPeople(app, found)
  const { rights } = people
  switch (part) {
    case 'sessions': {
      const open = await listOpenSessions(app, account.uuid, await findSession(app, request))
      const sessions = open.map((one) => ({
        ...one,
        name: (one.staffUuid !== null && names[one.staffUuid]) || null,
      }))
      return { view: part, rights, sessions, asked: searchParams.get('step') === END_ALL.step }
    }
    case 'activity': {
      const everybody = found.admin && searchParams.get('log') === 'all'
      return {
        view: part,
        log: await loadAuditLog(app, account, searchParams, { everybody, staffNames: async () => names }),
      }
    }
    case 'export':
      return { view: part, rights }
    case 'erase':
      return { view: part, rights, nameToType: nameToType(account) }
    default:
      return assertNever(part)
  }
}

export const action = pressAccountButton

export default function AccountPartPage() {
  const page = useLoaderData<typeof loader>()
  return <OwnPage page={page}>{(shown) => <Content page={shown} />}</OwnPage>
}

type Page = Exclude<SerializeFrom<typeof loader>, { view: 'gate' }>

function Content({ page }: { page: Page }) {
  const refused = useActionData<typeof action>()
  switch (page.view) {
    case 'sessions':
      return <SessionsPage {...page} />
    case 'activity':
      return <Activity page={page} />
    case 'retention':
      return <RetentionPage {...page} />
    case 'export':
      return <ExportPage {...page} />
    case 'erase':
      return <ErasePage {...page} refused={refused ?? null} />
    default:
      return assertNever(page)
  }
}

/** `log=all` is the operator's list; the rest of the query filters it. */
function Activity({ page: { log, ...frame } }: { page: Extract<Page, { view: 'activity' }> }) {
  const { account } = frame
  const list: Record<string, string> = log.everybody ? { log: 'all' } : {}
  const other = log.everybody
    ? { to: accountAddress(account, 'activity'), label: 'Only this account' }
    : { to: accountAddress(account, 'activity', { log: 'all' }), label: 'All accounts' }
  return (
    <AccountPartFrame {...frame} title={TITLES.activity}>
      <AuditLog
        {...log}
        carried={{ ...accountQuery(account), ...list }}
        addressOf={(asked) => accountAddress(account, 'activity', { ...list, ...asked })}
        other={account.admin ? other : null}
        runTo={(run) => runAddress(account, run)}
      />
    </AccountPartFrame>
  )
}
