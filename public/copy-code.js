// "Copy" beside the examples of /api-reference: the only script of that page. Says what happened in the button itself.
document.addEventListener('click', async (event) => {
  const button = event.target instanceof Element ? event.target.closest('[data-copy]') : null
  const text = button?.closest('figure')?.querySelector('pre')?.textContent
  const label = button?.querySelector('[data-copy-label]')
  if (!text || !label) return
  try {
    await navigator.clipboard.writeText(text)
    label.textContent = 'Copied'
  } catch {
    // Inside a frame the browser may refuse: the text is selected, to be copied by hand.
    getSelection()?.selectAllChildren(button.closest('figure').querySelector('pre'))
    label.textContent = 'Selected'
  }
  setTimeout(() => {
    label.textContent = 'Copy'
  }, 2000)
})
