import type { ReactNode } from 'react'
import { type AccountLink, accountAddress } from '#app/domain/account-address.ts'
import type { AccountFacts } from '#app/domain/delivery-address.ts'
import { PageHeader } from '#app/ui/page/page-header.tsx'
import { AccountTimeProvider } from '#app/ui/time/time.tsx'

/** What every page about the account starts from. */
export interface AccountFrameProps extends AccountFacts {
  account: AccountLink
}

/** A page below "Account and security", with the way back. */
export function AccountPartFrame(props: AccountFrameProps & { title: string; children: ReactNode }) {
  const { account, accountName, timezone, now, title, children } = props
  return (
    <AccountTimeProvider now={now} zone={timezone}>
      <PageHeader
        title={title}
        overline={accountName}
        back={{ to: accountAddress(account), words: 'Account and security' }}
      />
      {children}
    </AccountTimeProvider>
  )
}
