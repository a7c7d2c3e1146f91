import { Download } from 'lucide-react'
import { exportAddress } from '#app/domain/account-address.ts'
import { type OwnerRights, ownerNote } from '#app/domain/people.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { OwnerOnly } from '#app/ui/owner-only.tsx'
import { type AccountFrameProps, AccountPartFrame } from './account-frame.tsx'

/** Everything about the account in one file. */
export function ExportPage({ rights, ...frame }: AccountFrameProps & { rights: OwnerRights }) {
  const { account } = frame
  return (
    <AccountPartFrame {...frame} title="Export">
      <CardSection id="export" title="One file with everything" className="max-w-2xl">
        <OwnerOnly
          accountUUID={account.accountUUID}
          note={ownerNote(rights, 'download everything')}
          held={rights.refusal === 'fresh'}
        >
          {(held) =>
            held.disabled ? (
              <Button {...held} icon={Download}>
                Download everything
              </Button>
            ) : (
              <ButtonLink to={exportAddress(account)} variant="primary" reloadDocument icon={Download}>
                Download everything
              </ButtonLink>
            )
          }
        </OwnerOnly>
        <ul className="mt-4 grid max-w-prose list-disc gap-1.5 pl-5 text-label text-ink-soft">
          {EXPORTED.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      </CardSection>
    </AccountPartFrame>
  )
}

const EXPORTED = [
  'Webhooks, forwarding rules, automations, settings, templates and blocked customers.',
  'People and their roles, the plan, the usage of each day.',
  'The last 90 days: events, deliveries and runs. The last 400 days: who did what.',
  'No keys, tokens or secrets.',
  'A JSON file with what your automations wrote to customers. Keep it safe.',
] as const
