import { Form, useNavigation } from '@remix-run/react'
import { ownerNote, type PeopleOfPage, ROLE_TEXTS, type Role } from '#app/domain/people.ts'
import { Badge } from '#app/ui/badge.tsx'
import { Button } from '#app/ui/button.tsx'
import { CardSection } from '#app/ui/card.tsx'
import { SignInAgain } from '#app/ui/sign-in-again.tsx'
import { Time } from '#app/ui/time/time.tsx'

/** Shows the owners and members of the company's Fieldhook; owners can change roles. */
export function PeopleCard({ people, rights, accountUUID }: PeopleOfPage & { accountUUID: string }) {
  const { refusal } = rights
  // The list itself shows who the owners are.
  const note = people.length === 0 || refusal === 'owner' ? null : ownerNote(rights, 'change roles')
  return (
    <CardSection id="people" title="People">
      {people.length === 0 ? (
        <p className="max-w-prose text-label text-ink-soft">
          Nobody has opened Fieldhook from ServiceM8 yet. The first person who does becomes the owner.
        </p>
      ) : (
        <ul className="grid gap-3">
          {people.map((person) => (
            <li
              key={person.staffUuid}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line border-t pt-3 first:border-t-0 first:pt-0"
            >
              <div className="grid min-w-0 gap-0.5">
                <p className="flex flex-wrap items-center gap-2 wrap-anywhere text-label font-medium">
                  {person.name}
                  <Badge tone={person.role === 'owner' ? 'accent' : 'neutral'}>{ROLE_TEXTS[person.role]}</Badge>
                  {person.you ? <Badge tone="neutral">You</Badge> : null}
                </p>
                <p className="text-dense text-ink-soft">
                  Here since <Time at={person.since} />
                </p>
              </div>
              {refusal === null || refusal === 'fresh' ? <ChangeRole {...person} held={refusal === 'fresh'} /> : null}
            </li>
          ))}
        </ul>
      )}
      {note === null ? null : (
        <p id={NOTE} className="mt-4 max-w-prose text-label">
          {note}
        </p>
      )}
      {note !== null && refusal === 'fresh' ? <SignInAgain accountUUID={accountUUID} /> : null}
      <p className="mt-4 max-w-prose text-dense text-ink-soft">
        Members do the daily work. Owners also pay, export and erase. They make new keys, name owners and sign everybody
        out.
      </p>
    </CardSection>
  )
}

const NOTE = 'roles-note'

interface ChangeRoleProps {
  staffUuid: string
  role: Role
  name: string
  /** The note explains what to do first. */
  held: boolean
}

function ChangeRole({ staffUuid, role, name, held }: ChangeRoleProps) {
  const { state, formData } = useNavigation()
  const pending = state !== 'idle' && formData?.get('person') === staffUuid
  const next = role === 'owner' ? 'member' : 'owner'
  return (
    <Form method="post" preventScrollReset>
      <input type="hidden" name="intent" value="role" />
      <input type="hidden" name="person" value={staffUuid} />
      <input type="hidden" name="role" value={next} />
      <Button
        type="submit"
        pending={pending}
        pendingLabel="Changing…"
        {...(held && { disabled: true, 'aria-describedby': NOTE })}
        aria-label={`Make ${name} ${next === 'owner' ? 'an owner' : 'a member'}`}
      >
        Make {next}
      </Button>
    </Form>
  )
}
