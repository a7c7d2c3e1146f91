import { isParameterShown } from '../form-shown.ts'
import { plainParameters } from '../form-state.ts'
import { useRuleForm, useStep } from './form-context.tsx'
import { BoxControl, Choice, PickControl, SelectControl, ShowFields, WordsControl } from './form-controls.tsx'

/** An e-mail: subject and text, as plain text, HTML or a template of the platform. */
export function EmailFields() {
  const { step } = useStep()
  const content = step.parameters.contentType || 'manual'
  return (
    <>
      {content === 'manual' ? (
        <>
          <WordsControl name="p.customSubject" label="Subject" />
          <WordsControl name="p.customBody" label="Message" rows={8} />
        </>
      ) : null}
      {content === 'html' ? (
        <>
          <WordsControl name="p.customHtmlSubject" label="Subject" />
          <WordsControl
            name="p.customHtmlBody"
            label="HTML Body"
            rows={10}
            code
            hint="<platform-user-signature> inserts the staff signature."
          />
        </>
      ) : null}
      {content === 'template' ? <TemplateFields /> : null}
    </>
  )
}

function TemplateFields() {
  const { lists } = useRuleForm()
  const { parameters } = useStep().step
  const chosen = lists.emailTemplates.find(({ uuid }) => uuid === parameters.emailTemplateId)
  return (
    <>
      <PickControl
        name="p.emailTemplateId"
        label="Email Template"
        list={lists.emailTemplates}
        none="Choose a template"
      />
      {chosen ? (
        <div className="rounded-control bg-sunken p-3 text-label">
          <p className="font-medium">{chosen.subject || 'No subject'}</p>
          <p className="mt-1 whitespace-pre-line text-ink-soft">{chosen.text}</p>
        </div>
      ) : null}
      <WordsControl name="p.subject" label="Subject" hint="Leave empty to keep the template's." />
      <WordsControl name="p.htmlBody" label="HTML Body" rows={4} code hint="Leave empty to keep the template's." />
    </>
  )
}

/** Who gets it, how it is written, copies, signature and files. */
export function EmailOptions() {
  const { step } = useStep()
  const place = `${step.key}.options`
  return (
    <>
      <WordsControl name="p.to" label="To" hint="Leave empty to e-mail the job's contact." />
      <Choice
        name="p.contentType"
        legend="Email Content"
        otherwise="manual"
        options={[
          { value: 'manual', label: 'Plain Text' },
          { value: 'html', label: 'HTML' },
          { value: 'template', label: 'Template' },
        ]}
      />
      <ShowFields place={place}>Show the fields of this kind</ShowFields>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <WordsControl name="p.cc" label="CC" />
        <WordsControl name="p.replyTo" label="Reply To" />
      </div>
      <div className="grid">
        <BoxControl name="p.linkToJob" hint="Needed to see whether it arrived.">
          Link to the job
        </BoxControl>
        <BoxControl name="p.includeSignature">Include the staff signature</BoxControl>
        <BoxControl name="p.includeAttachments">Include attachments</BoxControl>
        {isParameterShown(step, 'includeJobAttachments') ? <AttachmentFields /> : null}
      </div>
      <ShowFields place={place}>Show the attachments</ShowFields>
    </>
  )
}

function AttachmentFields() {
  const { state } = useRuleForm()
  const { index, step } = useStep()
  const documents = state.steps
    .slice(0, index)
    .flatMap(({ type }, place) => (type === 'generate_document' ? [String(place + 1)] : []))
  const options = documents.map((value) => ({ value, label: `Action ${value}` }))
  // As a removal leaves it.
  if (step.parameters.documentActionIndex === '0') options.push({ value: '0', label: 'An action that was removed' })
  const known = plainParameters(step.type).some(({ name }) => name === 'documentActionIndex')
  return (
    <div className="grid gap-2 border-l-2 border-line pl-4">
      <BoxControl name="p.includeJobAttachments">Attachments of the job</BoxControl>
      {isParameterShown(step, 'attachmentFilter') ? (
        <>
          <BoxControl name="p.includeAllJobAttachments">All of them</BoxControl>
          <WordsControl
            name="p.attachmentFilter"
            label="Attachment Filter"
            hint="A part of the name, e.g. photo. Leave empty for all."
          />
        </>
      ) : null}
      <BoxControl name="p.includeGeneratedDocument">A generated document</BoxControl>
      {known && isParameterShown(step, 'documentActionIndex') ? (
        <SelectControl
          name="p.documentActionIndex"
          label="Document of"
          none="The last one before this action"
          options={options}
          hint={documents.length === 0 ? 'Add an action above that generates a document.' : undefined}
        />
      ) : null}
    </div>
  )
}
