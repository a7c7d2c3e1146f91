import { useBeforeUnload, useBlocker } from '@remix-run/react'
import { type RefObject, useCallback, useEffect, useState } from 'react'
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
}

async function loadDialog() {
  return (await import('../confirm-dialog.tsx')).ConfirmDialog
}

/** Says that a form holds changes, and asks before the page is left with them. */
export function UnsavedChanges({ form, returnTo, saved, refused }: UnsavedChangesProps) {
  const [changed, setChanged] = useState(refused)
  useEffect(() => setChanged(refused), [saved, refused])
  useEffect(() => {
    const element = form.current
    if (!element) return
    const note = () => setChanged(true)
    const sent = () => setChanged(false)
    element.addEventListener('input', note)
    element.addEventListener('submit', sent)
    return () => {
      element.removeEventListener('input', note)
      element.removeEventListener('submit', sent)
    }
  }, [form])
  useBeforeUnload(
    useCallback(
      (event) => {
        if (changed) event.preventDefault()
      },
      [changed],
    ),
  )
  const leaving = useBlocker(
    ({ currentLocation, nextLocation }) => changed && currentLocation.pathname !== nextLocation.pathname,
  )
  const asked = leaving.state === 'blocked'
  const { part: ConfirmDialog, failed } = useOnDemand(loadDialog, asked)
  useEffect(() => {
    if (asked && failed) leaving.proceed()
  }, [asked, failed, leaving])
  return (
    <>
      <p role="status" className="text-dense text-ink-soft">
        {changed ? 'Changes not saved' : ''}
      </p>
      {ConfirmDialog ? (
        <ConfirmDialog
          open={asked}
          onClose={() => leaving.reset?.()}
          returnTo={returnTo}
          title="Leave without saving?"
          cancelLabel="Stay"
          action={
            <Button variant="danger" onClick={() => leaving.proceed?.()}>
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
