import { Form, useNavigation } from '@remix-run/react'
import { RotateCcw } from 'lucide-react'
import { Button, type ButtonProps } from '#app/ui/button.tsx'

interface SendAgainButtonProps {
  deliveryId: number
  variant: ButtonProps['variant']
  /** Only the icon, for rows. */
  short?: boolean
  className?: string
}

/** Has its own form, which posts to the current page, so it works without scripts. */
export function SendAgainButton({ deliveryId, variant, short = false, className }: SendAgainButtonProps) {
  const { state, formData } = useNavigation()
  const pending = state !== 'idle' && formData?.get('delivery') === String(deliveryId)
  return (
    <Form method="post" preventScrollReset className="contents">
      <input type="hidden" name="intent" value="send_again" />
      <input type="hidden" name="delivery" value={deliveryId} />
      <Button
        type="submit"
        variant={variant}
        icon={RotateCcw}
        pending={pending}
        {...(short ? { size: 'icon', title: 'Send again' } : { pendingLabel: 'Sending…' })}
        aria-label={`Send again delivery ${deliveryId}`}
        className={className}
      >
        {short ? null : 'Send again'}
      </Button>
    </Form>
  )
}
