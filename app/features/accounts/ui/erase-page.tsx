import { Form, useNavigation } from '@remix-run/react'
import { useEffect, useRef } from 'react'
import { accountAddress, exportAddress } from '#app/domain/account-address.ts'
import { type OwnerRights, ownerNote } from '#app/domain/people.ts'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { TextField } from '#app/ui/form/text-input.tsx'
import { OwnerOnly } from '#app/ui/owner-only.tsx'
import { WHAT_GOES, WHAT_STAYS } from '../erasure.ts'
import { type AccountFrameProps, AccountPartFrame } from './account-frame.tsx'

export interface ErasePageProps extends AccountFrameProps {
  rights: OwnerRights
  /** The name to type to erase the account. */
  nameToType: string
  /** Why the account was not erased, and the typed name; otherwise null. */
  refused: { name: string; message: string } | null
}

/** The question first, then what goes and what stays. */
export function ErasePage({ rights, nameToType, refused, ...frame }: ErasePageProps) {
  return (
    <AccountPartFrame {...frame} title="Erase this account">
      <div className="grid items-start gap-5 lg:grid-cols-2 lg:gap-6">
        <CardSection id="erase" title="Erase everything for good?">
          <OwnerOnly
            accountUUID={frame.account.accountUUID}
            note={ownerNote(rights, 'erase this account')}
            held={rights.refusal === 'fresh'}
          >
            {(held) => <Question {...frame} nameToType={nameToType} refused={refused} held={held} />}
          </OwnerOnly>
        </CardSection>
        <div className="grid min-w-0 gap-5 lg:gap-6">
          <List id="goes" title="What is deleted" lines={WHAT_GOES} />
          <List id="stays" title="What we keep" lines={WHAT_STAYS} />
        </div>
      </div>
    </AccountPartFrame>
  )
}

interface QuestionProps extends Pick<ErasePageProps, 'account' | 'nameToType' | 'refused'> {
  held: { disabled?: true; 'aria-describedby'?: string }
}

/** Typing the name is the confirmation: a single click erases nothing. */
function Question({ account, nameToType, refused, held }: QuestionProps) {
  const { state, formData } = useNavigation()
  const pending = state !== 'idle' && formData?.get('intent') === 'erase'
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (refused) box.current?.focus()
  }, [refused])
  return (
    <Form method="post" preventScrollReset className="grid gap-4">
      <input type="hidden" name="intent" value="erase" />
      <p className="text-label">
        This cannot be undone.{' '}
        {held.disabled ? null : (
          <a href={exportAddress(account)} className="font-semibold text-accent underline underline-offset-4">
            Download everything first
          </a>
        )}
      </p>
      <TextField
        id="erase-name"
        label="Type the name of the account"
        hint={
          <>
            It is <strong className="wrap-anywhere">{nameToType}</strong>.
          </>
        }
        {...(refused && { errors: [refused.message] })}
        ref={box}
        name="name"
        defaultValue={refused?.name ?? ''}
        autoComplete="off"
        spellCheck={false}
        required
        disabled={held.disabled}
      />
      <div className="flex flex-wrap gap-2">
        <ButtonLink to={accountAddress(account)}>Keep the account</ButtonLink>
        <Button type="submit" variant="danger" pending={pending} pendingLabel="Erasing…" {...held}>
          Erase this account
        </Button>
      </div>
    </Form>
  )
}

function List({ id, title, lines }: { id: string; title: string; lines: readonly string[] }) {
  return (
    <CardSection id={id} title={title}>
      <ul className="grid list-disc gap-1.5 pl-5 text-label text-ink-soft">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </CardSection>
  )
}
