import { Form, useNavigation } from '@remix-run/react'
import { Trash2 } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { type AccountLink, accountAddress, exportAddress } from '#app/domain/account-address.ts'
import { type OwnerRights, ownerNote } from '#app/domain/people.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { Field } from '#app/ui/form/field.tsx'
import { TextInput } from '#app/ui/form/text-input.tsx'
import { OwnerOnly } from '#app/ui/owner-only.tsx'
import { WHAT_GOES, WHAT_STAYS } from '../erasure.ts'

interface EraseAccountProps {
  account: AccountLink
  rights: OwnerRights
  nameToType: string
  /** The question is shown. */
  asked: boolean
  refused: { name: string; message: string } | null
}

/** Typing the name is the confirmation: a single click erases nothing. */
export function EraseAccount({ account, rights, nameToType, asked, refused }: EraseAccountProps) {
  const { state, formData } = useNavigation()
  const pending = state !== 'idle' && formData?.get('intent') === 'erase'
  const box = useRef<HTMLInputElement>(null)
  const open = (asked || refused !== null) && rights.refusal === null
  useEffect(() => {
    if (open) box.current?.focus()
  }, [open])
  return (
    <CardSection id="erase" title="Erase this account">
      {open ? (
        <div className="grid gap-4">
          <List title="What happens" lines={WHAT_GOES} />
          <List title="What stays, and why" lines={WHAT_STAYS} />
          <p className="text-label">
            This cannot be undone.{' '}
            <a
              href={exportAddress(account)}
              download
              className="font-semibold text-accent underline underline-offset-4"
            >
              Download everything first
            </a>
          </p>
          <Form method="post" preventScrollReset className="grid gap-4">
            <input type="hidden" name="intent" value="erase" />
            <Field
              id="erase-name"
              label="Type the name of the account"
              hint={
                <>
                  It is <strong className="wrap-anywhere">{nameToType}</strong>.
                </>
              }
              {...(refused && { errors: [refused.message] })}
            >
              {(control) => (
                <TextInput
                  {...control}
                  ref={box}
                  name="name"
                  defaultValue={refused?.name ?? ''}
                  autoComplete="off"
                  spellCheck={false}
                  required
                />
              )}
            </Field>
            <div className="flex flex-wrap gap-2">
              <ButtonLink to={accountAddress(account)} preventScrollReset>
                Keep the account
              </ButtonLink>
              <Button type="submit" variant="danger" pending={pending} pendingLabel="Erasing…">
                Erase this account
              </Button>
            </div>
          </Form>
        </div>
      ) : (
        <>
          <p className="max-w-prose text-label text-ink-soft">
            Ends everything and removes what is kept about this account. Nothing happens before you have read what goes,
            what stays, and typed its name.
          </p>
          <OwnerOnly
            accountUUID={account.accountUUID}
            note={ownerNote(rights, 'erase this account')}
            held={rights.refusal === 'fresh'}
          >
            {(held) =>
              held.disabled ? (
                <Button {...held} className="mt-4" icon={Trash2}>
                  Erase this account…
                </Button>
              ) : (
                <ButtonLink
                  to={`${accountAddress(account, 'erase')}#erase-title`}
                  variant="danger-quiet"
                  className="mt-4"
                  icon={Trash2}
                >
                  Erase this account…
                </ButtonLink>
              )
            }
          </OwnerOnly>
        </>
      )}
    </CardSection>
  )
}

function List({ title, lines }: { title: string; lines: readonly string[] }) {
  return (
    <div className="grid gap-1.5">
      <h3 className="text-label font-semibold">{title}</h3>
      <ul className="grid list-disc gap-1.5 pl-5 text-label text-ink-soft">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  )
}
