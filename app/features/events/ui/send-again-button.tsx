import { Form, useNavigation } from '@remix-run/react'
import { RotateCcw } from 'lucide-react'
import { plural } from '#app/domain/time/moments.ts'
import { Button, type ButtonProps } from '#app/ui/button.tsx'

interface SendAgainButtonProps {
  /** One, or all of a group. */
  deliveries: readonly number[]
  /** What a group has in common: `to hooks.example.com`. */
  about?: string
  variant: ButtonProps['variant']
  /** Only the icon, for rows. */
  short?: boolean
  className?: string
}

/** Has its own form, which posts to the current page, so it works without scripts. */
export function SendAgainButton({ deliveries, about = '', variant, short = false, className }: SendAgainButtonProps) {
  const { state, formData } = useNavigation()
  const pending = state !== 'idle' && formData?.getAll('delivery').join() === deliveries.join()
  const many = deliveries.length > 1
  return (
    <Form method="post" preventScrollReset className="contents">
      <input type="hidden" name="intent" value="send_again" />
      {deliveries.map((id) => (
        <input key={id} type="hidden" name="delivery" value={id} />
      ))}
      <Button
        type="submit"
        variant={variant}
        icon={RotateCcw}
        pending={pending}
        {...(short ? { size: 'icon', title: 'Send again' } : { pendingLabel: 'Sending…' })}
        aria-label={
          many
            ? `Send all again: ${plural(deliveries.length, 'delivery', 'deliveries')} ${about}`.trimEnd()
            : `Send again delivery ${deliveries[0]}`
        }
        className={className}
      >
        {short ? null : many ? 'Send all again' : 'Send again'}
      </Button>
    </Form>
  )
}
