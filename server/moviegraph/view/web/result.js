// Chooses how an answer is drawn, by its form and not by the name of the tool that gave it.

function messageView(text, title) {
  const lead = title ? make("p", { class: "lead" }, title) : null;
  const paragraph = make("p", { class: "text" }, said(text, LONGEST_TEXT));
  return { element: make("div", { class: "view" }, lead, paragraph), resize() {} };
}

function resultView(context, result) {
  const data = result?.structuredContent;
  if (!data || result.isError)
    return messageView(errorText(result ?? {}), result?.isError ? "This call failed." : null);
  if (Array.isArray(data.executions)) return planView(context, data);
  const tabular = Array.isArray(data.rows) && Array.isArray(data.columns);
  const walked = tabular && data.columns.includes("Via");
  const paths = result._meta?.["moviegraph/paths"];
  return walked ? traversalView(context, data, paths) : messageView(errorText(result), null);
}

// Draws into the page; what strange data spoils is told, and never stops the page.
function show(context, result) {
  const root = document.getElementById("root");
  const put = view => {
    root.replaceChildren(view.element);
    view.resize();
    return view;
  };
  try {
    return put(resultView(context, result));
  } catch {
    const { content } = result ?? {};
    return put(messageView(errorText({ content }), "This answer cannot be drawn."));
  }
}
