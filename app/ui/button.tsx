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
      /** A label wider than a phone wraps. */
      wraps: { true: 'py-2 text-left', false: 'whitespace-nowrap' },
    },
    defaultVariants: { variant: 'secondary', size: 'normal', wraps: false },
  },
)

type ButtonVariants = VariantProps<typeof buttonStyles>

export interface ButtonProps extends Omit<ComponentPropsWithoutRef<'button'>, 'className'>, ButtonVariants {
  icon?: LucideIcon | undefined
  /** Work in progress: the button keeps the focus, shows the progress, and ignores further clicks. */
  pending?: boolean
  /** The label while pending; without it the label stays. */
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

/** A link that looks like a button. Use `reloadDocument` for addresses that are not our pages. */
export function ButtonLink({ variant, size, wraps, icon: Icon, children, className, ...rest }: ButtonLinkProps) {
  return (
    <Link {...rest} className={buttonStyles({ variant, size, wraps, className })}>
      {Icon && <Icon aria-hidden className="size-4" />}
      {children}
    </Link>
  )
}

/** Reloads this page from the server, with or without scripts. */
export function ReloadLink(props: Omit<ButtonLinkProps, 'to' | 'reloadDocument'>) {
  const { pathname, search } = useLocation()
  return <ButtonLink {...props} to={`${pathname}${search}`} reloadDocument />
}
