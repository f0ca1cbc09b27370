import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json, jsonParseLinter } from "@codemirror/lang-json";
import { python } from "@codemirror/lang-python";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  StreamLanguage,
  syntaxHighlighting,
} from "@codemirror/language";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { linter, lintGutter } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import type { Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

export type Language = "json" | "python" | "shell" | "text";

export function languageOf(language: Language): Extension {
  switch (language) {
    case "json":
      return [json(), linter(nonEmptyJson), lintGutter()];
    case "python":
      return python();
    case "shell":
      return StreamLanguage.define(shell);
    case "text":
      return EditorView.lineWrapping;
  }
}

const parse = jsonParseLinter();
const nonEmptyJson = (view: EditorView) => (view.state.doc.toString().trim() === "" ? [] : parse(view));

// The tokens of styles/tokens.css reach into the shadow root, and so does the theme.
const look = EditorView.theme({
  "&": { color: "var(--text)", backgroundColor: "transparent", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-content": { fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace", caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--muted)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--hover) 60%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--accent-soft)",
  },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--text)" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--text)", border: "1px solid var(--line)" },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.bool, tags.null], color: "var(--queued-text)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--succeeded-text)" },
  { tag: tags.number, color: "var(--paused-text)" },
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  {
    tag: [tags.propertyName, tags.function(tags.variableName), tags.definition(tags.variableName)],
    color: "var(--running-text)",
  },
  { tag: tags.invalid, color: "var(--danger)" },
]);

/** Tab leaves the editor, as it leaves every field: Escape is not needed. */
export const basics: Extension = [
  lineNumbers(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  syntaxHighlighting(colours),
  look,
  keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
];
