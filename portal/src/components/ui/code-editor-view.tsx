import { Compartment, EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { cn } from "@/lib/cn";
import { basics, type Language, languageOf } from "./code-editor-setup";

export interface EditorProps {
  value: string;
  onValue?: (value: string) => void;
  language: Language;
  readOnly?: boolean;
  /** Its accessible name: <label> does not work, since it is not a form control to browsers. */
  "aria-label"?: string;
  "aria-invalid"?: boolean;
  "aria-describedby"?: string;
  id?: string;
  className?: string;
}

/**
 * CodeMirror in a shadow root: there it adopts style sheets, where in the page itself it would write <style> elements,
 * which our CSP forbids.
 */
export default function CodeEditorView(props: EditorProps) {
  const { value, language, readOnly = false } = props;
  const label = props["aria-label"] ?? "Code";
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  const first = useRef({ value, language, readOnly, label });
  const parts = useRef({ language: new Compartment(), reading: new Compartment() });

  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const start = first.current;
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: start.value,
        extensions: [
          basics,
          parts.current.language.of(languageOf(start.language)),
          parts.current.reading.of(reading(start.readOnly)),
          // Also where it is only read: what scrolls must be reached by the keyboard.
          EditorView.contentAttributes.of({ "aria-label": start.label, tabindex: "0" }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onValue?.(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, []);
  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === value) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.language.reconfigure(languageOf(language)) });
  }, [language]);
  useEffect(() => {
    view.current?.dispatch({ effects: parts.current.reading.reconfigure(reading(readOnly)) });
  }, [readOnly]);
  return (
    <div
      ref={host}
      id={props.id}
      data-editor
      className={cn(
        "block max-h-[60vh] min-h-32 overflow-auto rounded-md border border-control bg-surface focus-within:outline-2 focus-within:outline-ring",
        props["aria-invalid"] && "border-danger",
        props.className,
      )}
    />
  );
}

function reading(readOnly: boolean) {
  return [EditorState.readOnly.of(readOnly), EditorView.editable.of(!readOnly)];
}
