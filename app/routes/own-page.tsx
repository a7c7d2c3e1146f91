// What the pages of one account share: the title, the gate in their place, and the line about the plan above them.
import type { ReactNode } from 'react'
import type { AccountLink } from '#app/domain/account-address.ts'
import { Gate } from '#app/features/accounts/ui/gate.tsx'
import type { PlanNotice } from '#app/features/billing/plan-notice.ts'
import { PlanNoticeLine } from '#app/features/billing/ui/plan-notice-line.tsx'
import { hasDraft } from '#app/ui/form/draft.ts'
import { KeptNote } from '#app/ui/page/kept-note.tsx'
import type { gateFor } from './pages/own-account.server.ts'

type GateView = ReturnType<typeof gateFor>
type Framed = { view: string; planNotice: PlanNotice | null } & ({ account: AccountLink } | AccountLink)
type Shown<P> = Exclude<P, { view: 'gate' }>

/** The gate's title; also of a page whose data could not be loaded. */
export const GATE_TITLE = 'Connect to ServiceM8'

/** The title of a page, fixed or by what it shows; the gate in its place has its own. */
export function titled<P extends { view: string }>(title: string | ((page: P | undefined) => string)) {
  return ({ data: page }: { data: P | undefined }) => {
    const own = typeof title === 'string' ? title : title(page)
    return [{ title: `${page?.view === 'gate' ? GATE_TITLE : own} · Fieldhook` }]
  }
}

export function OwnPage<P extends GateView | Framed>(props: { page: P; children: (page: Shown<P>) => ReactNode }) {
  const page: GateView | Framed = props.page
  if ('state' in page) return <Gate {...page} kept={<KeptNote accountUUID={page.accountUUID} isKept={hasDraft} />} />
  return (
    <>
      <PlanNoticeLine notice={page.planNotice} {...('account' in page ? page.account : page)} />
      {props.children(props.page as Shown<P>)}
    </>
  )
}
