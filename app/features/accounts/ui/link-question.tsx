import { Form, useNavigation } from '@remix-run/react'
import { Button, ButtonLink } from '#app/ui/button.tsx'
import { cardStyles } from '#app/ui/card.tsx'
import { Mark } from '#app/ui/page/app-frame.tsx'

interface LinkQuestionProps {
  /** The id in the URL. */
  externalId: string
  /** The account the id would lead to. */
  accountName: string
  /** The page's own URL, which keeps the proof. */
  address: string
  /** Target of "Not now". */
  back: string
}

/** Opening a URL links nothing: the user must press the button. */
export function LinkQuestion({ externalId, accountName, address, back }: LinkQuestionProps) {
  const pending = useNavigation().formMethod === 'POST'
  return (
    <section aria-labelledby="link-title" className={`${cardStyles} mx-auto grid max-w-md gap-5 p-6 sm:mt-10 sm:p-8`}>
      <Mark className="size-11" />
      <div className="grid gap-2">
        <h1 id="link-title" className="font-semibold text-display">
          Link this account?
        </h1>
        <p className="wrap-anywhere">
          External account <strong className="font-semibold">{externalId}</strong> will open{' '}
          <strong className="font-semibold">{accountName}</strong>.
        </p>
        <p className="text-label text-ink-soft">Link it only if you opened this page from ServiceM8.</p>
      </div>
      <Form method="post" action={address} className="grid gap-3">
        <Button type="submit" variant="primary" size="wide" pending={pending} pendingLabel="Linking…">
          Link account
        </Button>
        <ButtonLink to={back} variant="quiet" size="wide">
          Not now
        </ButtonLink>
      </Form>
    </section>
  )
}
