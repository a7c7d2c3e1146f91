import { Link, type LinkProps, useLocation } from '@remix-run/react'
import { cva, type VariantProps } from 'class-variance-authority'
import { LoaderCircle, type LucideIcon } from 'lucide-react'
import { type ComponentPropsWithoutRef, forwardRef } from 'react'

export const buttonStyles = cva(
  [
    'inline-flex min-h-11 select-none items-center justify-center gap-2 rounded-control border text-label font-medium',
    'transition-colors aria-disabled:opacity-70',
    'disabled:border-line disabled:bg-sunken disabled:text-ink-soft',
  ],
  {
    variants: {
      variant: {
        primary:
          'border-transparent bg-accent text-on-accent enabled:hover:bg-accent-strong [a&]:hover:bg-accent-strong',
        secondary:
          'border-line-strong bg-surface text-ink enabled:hover:border-ink-soft enabled:hover:bg-sunken [a&]:hover:border-ink-soft [a&]:hover:bg-sunken',
        quiet: 'border-transparent text-accent enabled:hover:bg-accent-soft [a&]:hover:bg-accent-soft',
        danger: 'border-transparent bg-failing text-on-failing enabled:hover:bg-failing-strong',
        'danger-quiet': 'border-transparent text-failing enabled:hover:bg-failing-soft [a&]:hover:bg-failing-soft',
      },
      size: { normal: 'px-4', icon: 'w-11', wide: 'w-full px-4' },
      /** A label longer than a phone is wide breaks into lines. */
      wraps: { true: 'py-2 text-left', false: 'whitespace-nowrap' },
    },
    defaultVariants: { variant: 'secondary', size: 'normal', wraps: false },
  },
)

type ButtonVariants = VariantProps<typeof buttonStyles>

export interface ButtonProps extends Omit<ComponentPropsWithoutRef<'button'>, 'className'>, ButtonVariants {
  icon?: LucideIcon | undefined
  /** Its work is under way: it keeps the focus, shows that, and ignores further presses. */
  pending?: boolean
  /** What it says meanwhile; without it the label stays. */
  pendingLabel?: string
  className?: string
}

export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  {
    variant,
    size,
    wraps,
    icon: Icon,
    pending = false,
    pendingLabel,
    children,
    className,
    onClick,
    type = 'button',
    ...rest
  },
  ref,
) {
  return (
    <button
      {...rest}
      ref={ref}
      type={type}
      aria-disabled={pending || undefined}
      className={buttonStyles({ variant, size, wraps, className })}
      onClick={(event) => {
        if (pending) return event.preventDefault()
        onClick?.(event)
      }}
    >
      {pending ? (
        <LoaderCircle aria-hidden className="size-4 shrink-0 animate-spin" />
      ) : (
        Icon && <Icon aria-hidden className="size-4" />
      )}
      {pending && pendingLabel ? pendingLabel : children}
    </button>
  )
})

interface ButtonLinkProps extends Omit<LinkProps, 'className'>, ButtonVariants {
  icon?: LucideIcon | undefined
  className?: string
}

/** Looks like a button and leads somewhere. `reloadDocument` for addresses that are not pages of ours. */
export function ButtonLink({ variant, size, wraps, icon: Icon, children, className, ...rest }: ButtonLinkProps) {
  return (
    <Link {...rest} className={buttonStyles({ variant, size, wraps, className })}>
      {Icon && <Icon aria-hidden className="size-4" />}
      {children}
    </Link>
  )
}

/** Asks the server for this very page again, scripts or not. */
export function ReloadLink(props: Omit<ButtonLinkProps, 'to' | 'reloadDocument'>) {
  const { pathname, search } = useLocation()
  return <ButtonLink {...props} to={`${pathname}${search}`} reloadDocument />
}
