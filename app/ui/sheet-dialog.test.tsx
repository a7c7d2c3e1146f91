import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { SheetDialog } from './sheet-dialog.tsx'

function Page() {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        View Logs
      </button>
      {open ? (
        <SheetDialog open onClose={() => setOpen(false)} title="Logs" description="The last 20.">
          Nothing
        </SheetDialog>
      ) : null}
    </>
  )
}

it('gives the focus back to what opened it', async () => {
  render(<Page />)
  const button = screen.getByRole('button', { name: 'View Logs' })
  button.focus()
  fireEvent.click(button)
  const dialog = await screen.findByRole('dialog', { name: 'Logs' })
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true))
  fireEvent.keyDown(document.activeElement ?? dialog, { key: 'Escape' })
  await waitFor(() => expect(document.activeElement).toBe(button))
})
