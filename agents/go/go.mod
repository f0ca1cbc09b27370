module horae-agent

go 1.19
