import { isParameterShown } from '../form-shown.ts'
import { plainParameters } from '../form-state.ts'
import { useRuleForm, useStep } from './form-context.tsx'
import {
  BoxControl,
  Choice,
  NEEDS_SIGN_IN,
  PickControl,
  SelectControl,
  ShowFields,
  WordsControl,
} from './form-controls.tsx'

/** An e-mail: written here as text or HTML, or from a template of the platform; with files. */
export function EmailFields() {
  const { lists } = useRuleForm()
  const { step } = useStep()
  const { parameters } = step
  const content = parameters.contentType || 'manual'
  const chosen = lists.emailTemplates.find(({ uuid }) => uuid === parameters.emailTemplateId)
  return (
    <>
      <WordsControl name="p.to" label="To" hint="An e-mail address or a placeholder. Empty = the job's contact." />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <WordsControl name="p.cc" label="CC" />
        <WordsControl name="p.replyTo" label="Reply To" />
      </div>
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
      <ShowFields>Show the fields of this kind</ShowFields>
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
            hint="<platform-user-signature> stands for the signature of the staff member."
          />
        </>
      ) : null}
      {content === 'template' ? (
        <>
          <PickControl
            name="p.emailTemplateId"
            label="Email Template"
            list={lists.emailTemplates}
            none="Choose a template"
            emptyHint={NEEDS_SIGN_IN}
          />
          {chosen ? (
            <div className="rounded-control bg-sunken p-3 text-label">
              <p className="font-medium">{chosen.subject || 'No subject'}</p>
              <p className="mt-1 whitespace-pre-line text-ink-soft">{chosen.text}</p>
            </div>
          ) : null}
          <WordsControl name="p.subject" label="Subject" hint="Empty = the template's own." />
          <WordsControl name="p.htmlBody" label="HTML Body" rows={4} code hint="Empty = the template's own." />
        </>
      ) : null}
      <div className="grid">
        <BoxControl name="p.linkToJob">Link to the job, so that it is in its diary</BoxControl>
        <BoxControl name="p.includeSignature">Include the staff signature</BoxControl>
        <BoxControl name="p.includeAttachments">Include attachments</BoxControl>
        {isParameterShown(step, 'includeJobAttachments') ? <AttachmentFields /> : null}
      </div>
      <ShowFields>Show the attachments</ShowFields>
    </>
  )
}

function AttachmentFields() {
  const { state } = useRuleForm()
  const { index, step } = useStep()
  const documents = state.steps
    .slice(0, index)
    .flatMap(({ type }, place) => (type === 'generate_document' ? [String(place + 1)] : []))
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
            hint="Only files with this in their name, e.g. photo. Empty = every file."
          />
        </>
      ) : null}
      <BoxControl name="p.includeGeneratedDocument">A generated document</BoxControl>
      {known && isParameterShown(step, 'documentActionIndex') ? (
        <SelectControl
          name="p.documentActionIndex"
          label="Document of"
          none="The last one before this action"
          options={documents.map((value) => ({ value, label: `Action ${value}` }))}
          hint={
            documents.length === 0 ? 'No action before this one generates a document. Add one above it.' : undefined
          }
        />
      ) : null}
    </div>
  )
}
