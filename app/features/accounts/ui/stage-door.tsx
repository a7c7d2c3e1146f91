import { ButtonLink } from '#app/ui/button.tsx'

/** A sign-in for new users, below the gate, when the built-in stand-in plays the platform. */
export function StageDoor() {
  return (
    <aside aria-label="Sandbox" className="mx-auto mt-5 grid max-w-md gap-3 px-6 text-center sm:px-8">
      <p className="text-label text-ink-soft">
        This Fieldhook runs with a pretend ServiceM8. Try everything without an account: open the add-on from there.
      </p>
      <ButtonLink to="/sandbox" variant="secondary" reloadDocument>
        Go to the pretend ServiceM8
      </ButtonLink>
    </aside>
  )
}
