import { useNavigate, useNavigation } from '@remix-run/react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { Button } from '../button.tsx'
import { useOnDemand } from '../on-demand.tsx'

interface UnsavedChangesProps {
  form: RefObject<HTMLFormElement | null>
  /** Gets the focus when the person stays. */
  returnTo: RefObject<HTMLElement | null>
  /** What is stored; another text = it was saved. */
  saved: string
  /** True when the form shows what was refused. */
  refused: boolean
  /** The person leaves without saving. */
  onLeave?: () => void
}

const loadDialog = async () => (await import('../confirm-dialog.tsx')).ConfirmDialog

/** Says that a form holds changes, and asks before the page is left with them. */
export function UnsavedChanges({ form, returnTo, saved, refused, onLeave }: UnsavedChangesProps) {
  const [changed, setChanged] = useState(refused)
  /** The page that was asked for meanwhile. */
  const [leaving, setLeaving] = useState<string | null>(null)
  const { state } = useNavigation()
  /** What was stored when the form was last answered; null while it is being sent. Other presses of the page save nothing of it. */
  const answered = useRef<string | null>(saved)
  useEffect(() => {
    if (state !== 'idle' || answered.current === saved) return
    answered.current = saved
    setChanged(refused)
  }, [state, saved, refused])
  useEffect(() => {
    const element = form.current
    if (!element) return
    const note = () => setChanged(true)
    const sent = () => {
      answered.current = null
    }
    element.addEventListener('input', note)
    element.addEventListener('submit', sent)
    return () => {
      element.removeEventListener('input', note)
      element.removeEventListener('submit', sent)
    }
  }, [form])
  useEffect(() => {
    if (!changed) return
    const unload = (event: BeforeUnloadEvent) => event.preventDefault()
    // Before the router: it takes the same presses.
    const press = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null
      if (link?.target !== '' || event.ctrlKey || event.metaKey || event.shiftKey) return
      if (link.origin !== window.location.origin || link.pathname === window.location.pathname) return
      event.preventDefault()
      event.stopPropagation()
      setLeaving(link.href.slice(link.origin.length))
    }
    window.addEventListener('beforeunload', unload)
    document.addEventListener('click', press, true)
    return () => {
      window.removeEventListener('beforeunload', unload)
      document.removeEventListener('click', press, true)
    }
  }, [changed])
  const navigate = useNavigate()
  const { part: ConfirmDialog, failed } = useOnDemand(loadDialog, leaving !== null)
  useEffect(() => {
    if (leaving !== null && failed) navigate(leaving)
  }, [leaving, failed, navigate])
  return (
    <>
      <p role="status" className="text-dense text-ink-soft">
        {changed ? 'Changes not saved' : ''}
      </p>
      {ConfirmDialog ? (
        <ConfirmDialog
          open={leaving !== null}
          onClose={() => setLeaving(null)}
          returnTo={returnTo}
          title="Leave without saving?"
          cancelLabel="Stay"
          action={
            <Button
              variant="danger"
              onClick={() => {
                onLeave?.()
                navigate(leaving ?? '')
              }}
            >
              Leave
            </Button>
          }
        >
          <p>Your changes are not saved.</p>
        </ConfirmDialog>
      ) : null}
    </>
  )
}
