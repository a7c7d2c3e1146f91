import { fireEvent, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { renderPage } from '#tests/support/page-stub.tsx'
import { CopyField } from './copy-field.tsx'
// Fetched on demand in the product.
import '../toast/toaster.tsx'

const ADDRESS = 'https://fieldhook.example.com/hooks/platform/token'

/** The browser's clipboard, as far as it is asked. */
function clipboard(writeText: (text: string) => Promise<void>) {
  vi.stubGlobal('navigator', Object.create(navigator, { clipboard: { value: { writeText } } }))
}

function renderField() {
  renderPage({ page: () => <CopyField id="forwarding" label="Forwarding URL" value={ADDRESS} /> })
  return screen.getByLabelText<HTMLInputElement>('Forwarding URL')
}

afterEach(() => {
  vi.unstubAllGlobals()
})

describe('a text to copy', () => {
  it('can be read and selected, not changed', () => {
    const input = renderField()
    expect(input.value).toBe(ADDRESS)
    expect(input.readOnly).toBe(true)
  })

  it('goes to the clipboard, and the page says so', async () => {
    const copied: string[] = []
    clipboard(async (text) => {
      copied.push(text)
    })
    renderField()
    fireEvent.click(screen.getByRole('button', { name: 'Copy Forwarding URL' }))
    await screen.findByText('Copied to clipboard!')
    expect(copied).toEqual([ADDRESS])
  })

  it('is selected when the browser refuses the clipboard', async () => {
    clipboard(async () => {
      throw new Error('not allowed in this frame')
    })
    const input = renderField()
    fireEvent.click(screen.getByRole('button', { name: 'Copy Forwarding URL' }))
    await screen.findByText('The text is selected: copy it by hand.')
    expect(document.activeElement).toBe(input)
    expect(input.selectionEnd).toBe(ADDRESS.length)
  })

  it('has no dead button without scripts', () => {
    renderField()
    expect(screen.getByRole('button', { name: 'Copy Forwarding URL' }).closest('.needs-script')).not.toBeNull()
  })
})
